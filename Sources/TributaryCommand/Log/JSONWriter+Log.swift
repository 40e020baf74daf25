import TributaryCore
import TributaryFiles

extension JSONWriter {
  /// `{"<peer>": n, …}`.
  mutating func knowledge(_ knowledge: Knowledge) {
    object { json in
      for entry in knowledge.entries {
        json.member(entry.peer.description, entry.sequence.rawValue)
      }
    }
  }

  /// The members `"stamp"` and `"time"` of an object.
  mutating func stampMembers(_ time: HybridTime) {
    member("stamp") { json in
      json.object { json in
        json.member("milliseconds", time.milliseconds)
        json.member("counter", time.counter)
      }
    }
    member("time", Timestamp.text(milliseconds: time.milliseconds))
  }
}
