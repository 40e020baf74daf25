import TributaryCore
import TributaryFiles
import TributaryReplay

extension LogBaseline {
  /// The statement that the history begins with this baseline.
  var text: String {
    "history begins with \(path): "
      + counted(Int(clamping: header.transactionCount), "transaction")
      + " up to \(Timestamp.text(milliseconds: time.milliseconds))"
  }
}

extension Output {
  /// Notes that the output begins with a baseline: what the baseline stands for is no longer in any segment.
  func note(_ beginning: LogBaseline) { note(beginning.text) }
}

extension JSONWriter {
  /// Writes the member `"beginning"` of an object: the baseline with which the history begins.
  mutating func member(beginning baseline: LogBaseline) {
    object("beginning") { json in
      json.member("path", baseline.path)
      json.member("transactions", baseline.header.transactionCount)
      json.stampMembers(baseline.time)
    }
  }
}
