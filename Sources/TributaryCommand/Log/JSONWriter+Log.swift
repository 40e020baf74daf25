import TributaryCore
import TributaryFiles
import TributaryInspection

extension JSONWriter {
  /// Writes `{"<peer>": n, …}`.
  mutating func knowledge(_ knowledge: Knowledge) {
    object { json in
      for entry in knowledge.entries {
        json.member(entry.peer.description, entry.sequence.rawValue)
      }
    }
  }

  /// Writes the members `"table"`, `"op"`, `"key"` and `"values"` of an object.
  mutating func changeMembers(_ change: DecodedChange) {
    member("table", change.table)
    member("op", change.operationName)
    member("key") { $0.key(change.key) }
    object("values") { json in
      for (column, value) in change.values { json.member(column) { $0.value(value) } }
    }
  }

  /// Writes the members `"stamp"` and `"time"` of an object.
  mutating func stampMembers(_ time: HybridTime) {
    object("stamp") { json in
      json.member("milliseconds", time.milliseconds)
      json.member("counter", time.counter)
    }
    member("time", Timestamp.text(milliseconds: time.milliseconds))
  }
}
