import TributaryCore
import TributarySync

/// What a store has taken from the schema of another, for people and programs.
extension TakenSchema {
  /// The lines below that of a store.
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
