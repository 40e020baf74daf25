import TributaryCore
import TributaryFiles
import TributaryReplay

extension LogBaseline {
  /// Says that the history begins with it.
  var text: String {
    "history begins with \(path): "
      + counted(Int(clamping: header.transactionCount), "transaction")
      + " up to \(Timestamp.text(milliseconds: time.milliseconds))"
  }
}

extension Output {
  /// Says that what is printed begins with a baseline: what that stands for is in no segment any more.
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
