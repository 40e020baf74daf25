import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryMerge
import TributaryReplay
import TributaryStore

/// Which rows were deleted below a declared horizon that has nothing of what the store has forgotten, as where copies of
/// one database were adopted apart.
struct DeletionsElsewhere {
  /// The rows; `nil` if files are gone that may say more.
  private let rows: Set<RowIdentity>?

  /// Reads the logs of the horizon.
  ///
  /// - Complexity: O(changes in these logs).
  init(_ logs: FencedLogs, _ schema: ReplicatedSchema) throws {
    guard logs.sharesNothingForgotten, !logs.forgotten.isEmpty else {
      // A store that has forgotten nothing brings what nothing has captured.
      rows = logs.sharesNothingForgotten ? [] : nil
      return
    }
    do {
      rows = try Self.read(logs, schema)
    } catch let error as MergeError where error.code == .schema {
      // A table or column there does not exist here.
      rows = nil
    }
  }

  /// Whether somebody may have deleted a row.
  func mayHave(_ row: RowIdentity) -> Bool { rows?.contains(row) ?? true }

  private static func read(
    _ logs: FencedLogs, _ schema: ReplicatedSchema
  ) throws -> Set<RowIdentity>? {
    var streams: [any TransactionStream] = []
    var adopted: PeerIdentity?
    let horizon = logs.declaration.horizon
    for entry in horizon.entries {
      let beginning = logs.remainder(of: entry)
      if beginning != .zero {
        // Adopted rows may be in no file. No other transaction may be missing.
        guard beginning == SequenceNumber(1), adopted == nil else { return nil }
        adopted = entry.peer
      }
      if beginning < entry.sequence {
        streams.append(try logs.stream(of: entry, after: beginning))
      }
    }
    var meaning = try ChangeMeaning(logs.exchange.connection)
    var last: [PeerIdentity: SequenceNumber] = [:]
    var deleted: Set<RowIdentity> = []
    var isFirst = true
    try FencedLogs.forEach(streams) { stream, head in
      last[stream.peer] = head.sequence
      // If all others knew the missing transaction, it was the first, so it has deleted nothing.
      if let adopted, stream.peer != adopted, head.knowledge[adopted] == .zero { isFirst = false }
      let transaction = BatchTransaction(head, of: stream.peer, schema: stream.schema)
      var place: Int32 = 0
      while let change = try stream.nextChange() {
        let isDeletion = change.operation == .delete
        let found = try meaning.read(
          change, stream.shape(change.shapeID), by: transaction, place: place
        ) { _ in isDeletion }
        if let found { deleted.insert(found.row) }
        place += 1
      }
    }
    let isComplete = streams.allSatisfy { last[$0.peer] == horizon[$0.peer] }
    return isFirst && isComplete ? deleted : nil
  }
}
