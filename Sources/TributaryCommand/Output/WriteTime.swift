import TributaryCore
import TributaryFiles

/// The time of a transaction, as readable text and as JSON. Rows that a database had before it was attached
/// have no time.
enum WriteTime {
  static func text(_ time: HybridTime) -> String {
    time == .zero ? "-" : Timestamp.text(milliseconds: time.milliseconds)
  }
}

extension JSONWriter {
  /// Writes a time, or `null` if there is none.
  mutating func time(_ time: HybridTime) {
    if time == .zero { null() } else { string(WriteTime.text(time)) }
  }
}
