import TributaryCore
import TributaryFiles
import TributaryStore

extension Conflict {
  /// Returns the object that `--json` prints.
  ///
  /// - Parameter more: adds members at its end.
  package func json(_ more: (inout JSONWriter) -> Void = { _ in }) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("id", id)
      json.member("table", table)
      json.member("key") { $0.key(key) }
      json.member("kind", kind.rawValue)
      json.member("held") { $0.bool(isHeld) }
      json.member("values") { values.write(to: &$0) }
      json.member("winner") { winner.write(to: &$0) }
      json.member("loser") { loser.write(to: &$0) }
      if let ended { json.member("ended", Timestamp.text(milliseconds: ended)) }
      more(&json)
    }
    return json.text
  }
}

extension [Conflict.Cell] {
  /// Writes `{"<column>": <value>, …}`.
  func write(to json: inout JSONWriter) {
    json.object { json in
      for cell in self { json.member(cell.column) { $0.value(cell.value) } }
    }
  }
}

extension Conflict.Side {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("peer", peer.description)
      json.member("sequence", sequence.rawValue)
      json.member("time", Timestamp.text(milliseconds: time.milliseconds))
    }
  }
}
