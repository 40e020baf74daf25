import TributaryCore

/// The segments of one peer in one directory, by their names alone.
struct PeerLog {
  /// The directory of the peer; `nil` for segments that are in none.
  var directory: String?
  /// Whose it is, by the name of the directory.
  var peer: PeerIdentity?
  /// What people call it; `nil` when nobody knows.
  var name: String?
  /// Paths, in ascending order of first sequence where the names tell it.
  var paths: [String]
}
