import TributaryCore
import TributarySync

extension DiskUse {
  /// Writes the members of an object, in bytes.
  func write(to json: inout JSONWriter) {
    json.member("store", store)
    json.member("writeAheadLog", writeAheadLog)
    if let bookkeeping { json.member("bookkeeping", bookkeeping) }
    if let outbox { json.member("outbox", outbox) }
    if let container {
      json.member("ownLog", container.ownLog)
      json.member("otherLogs", container.otherLogs)
      json.member("baselines", container.baselines)
      json.member("ownBaselines", container.ownBaselines)
      json.member("reclaimable", container.reclaimable)
      json.member("kept", container.kept)
      json.member("held", container.held)
      json.member("holders", strings: container.holders.map(\.description))
    }
    if let limit {
      json.member("limit", limit)
      json.member("used", used)
    }
  }

  /// The same as readable text, one line each.
  var lines: [String] {
    func size(_ bytes: UInt64) -> String { SizeText.text(bytes) }
    var inside: [String] = []
    if let outbox { inside.append("\(size(outbox)) records of own transactions") }
    if let bookkeeping { inside.append("\(size(bookkeeping)) other bookkeeping") }
    var lines = [
      "store \(size(store))"
        + (inside.isEmpty ? "" : " (of it \(inside.joined(separator: ", ")))")
        + (writeAheadLog > 0 ? ", write-ahead log \(size(writeAheadLog))" : "")
    ]
    if let container {
      lines.append(
        "own log \(size(container.ownLog)), other logs \(size(container.otherLogs)), "
          + "baselines \(size(container.baselines))")
      lines.append(reclaiming(container))
    }
    if let limit { lines.append("limit \(size(limit)), of which \(size(used)) are used") }
    return lines
  }

  private func reclaiming(_ container: Container) -> String {
    func size(_ bytes: UInt64) -> String { SizeText.text(bytes) }
    let settled = "\(size(container.reclaimable)) of own log and records "
    let stays =
      container.kept > 0
      ? "; the newest segment and its records, \(size(container.kept)), stay" : ""
    guard container.held > 0 else { return settled + "can go when baselines have them" + stays }
    // At most this many names are listed.
    let limit = 3
    let named = container.holders.prefix(limit).map(\.description).joined(separator: ", ")
    let more = container.holders.count > limit ? " and \(container.holders.count - limit) more" : ""
    return settled + "are on every device, \(size(container.held)) are not"
      + (named.isEmpty
        ? "" : ": \(named)\(more) \(container.holders.count == 1 ? "lacks" : "lack") most") + stays
  }
}
