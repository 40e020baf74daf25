import TributaryCore
import TributarySync

/// What has been taken of the schema of another store, for people and programs.
extension TakenSchema {
  /// The lines beneath that of a store.
  var lines: [String] {
    ["  the schema here follows that of \(peer): \(made.joined(separator: ", "))"]
      + left.map { "  left for the application: \($0)" }
  }

  /// Writes the members of an object.
  func writeMembers(to json: inout JSONWriter) {
    json.member("peer", peer.description)
    json.member("made", strings: made)
    json.member("left", strings: left)
  }
}
