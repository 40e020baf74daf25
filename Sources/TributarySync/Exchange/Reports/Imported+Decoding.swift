import TributaryCore
import TributaryMerge
import TributaryStore

extension SyncReport.Imported {
  /// Reads what `write` has written.
  ///
  /// - Parameter conflicts: finds the conflicts with these identifiers. Those that it does not find are left
  ///   out.
  /// - Returns: `nil` for any other text.
  init?(json: [UInt8], conflicts find: ([Conflict.ID]) -> [Conflict]) {
    self.init()
    guard case .object(let members)? = JSONValue(json) else { return nil }
    for (name, value) in members {
      switch (name, value) {
      case ("transactions", .value(.integer(let count))): transactions = Int(clamping: count)
      case ("peers", .object(let entries)):
        for (name, range) in entries {
          guard let peer = PeerIdentity(hex: name),
            case .array(let ends) = range, ends.count == 2,
            case .value(.integer(let first)) = ends[0], case .value(.integer(let last)) = ends[1]
          else { return nil }
          peers.append(
            (peer, SequenceNumber(UInt64(clamping: first)), SequenceNumber(UInt64(clamping: last))))
        }
      case ("changes", .object(let tables)):
        for (name, table) in tables {
          guard let changes = TableChanges(table) else { return nil }
          self.changes.append((name, changes))
        }
      case ("everything", _): isIncomplete = true
      case ("conflicts", .array(let identifiers)):
        conflicts = find(
          identifiers.compactMap { identifier in
            guard case .value(.text(let id)) = identifier else { return nil }
            return String(decoding: id, as: UTF8.self)
          })
      default:
        // A later program may have added this member.
        continue
      }
    }
  }
}

extension TableChanges {
  fileprivate init?(_ json: JSONValue) {
    self.init()
    guard case .object(let members) = json else { return nil }
    for (name, value) in members {
      guard let keys = KeyList(value) else { return nil }
      switch name {
      case "inserted": inserted = keys
      case "updated": updated = keys
      case "deleted": deleted = keys
      default: continue
      }
    }
  }
}

extension KeyList {
  fileprivate init?(_ json: JSONValue) {
    self.init()
    guard case .array(let elements) = json else { return nil }
    for element in elements {
      switch element {
      case .value(let value): append([value])
      case .array(let parts):
        var key: [Value] = []
        for case .value(let value) in parts { key.append(value) }
        guard key.count == parts.count else { return nil }
        append(key)
      case .object: return nil
      }
    }
  }
}
