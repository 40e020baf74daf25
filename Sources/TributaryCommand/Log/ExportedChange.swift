import TributaryCore
import TributaryInspection

/// A change as one line of JSON.
enum ExportedChange {
  static func json(_ change: DecodedChange, of transaction: LogTransaction) -> JSONWriter {
    var json = JSONWriter()
    json.object { json in
      json.transactionMembers(transaction)
      json.member("schema", transaction.schema)
      json.changeMembers(change)
    }
    return json
  }

  /// Returns the notice that changes of an incomplete transaction were printed.
  static func incomplete(_ transaction: LogTransaction) -> String {
    var json = JSONWriter()
    json.object { json in
      json.transactionMembers(transaction)
      json.member("incomplete") { $0.bool(true) }
    }
    return json.text
  }
}

extension JSONWriter {
  /// Writes the members `"peer"`, `"sequence"`, `"stamp"` and `"time"` of an object.
  mutating func transactionMembers(_ transaction: LogTransaction) {
    member("peer", transaction.peer.description)
    member("sequence", transaction.header.sequence.rawValue)
    stampMembers(transaction.header.time)
  }
}
