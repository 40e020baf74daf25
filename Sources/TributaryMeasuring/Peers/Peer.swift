/// Another way to record changes, measured beside the store.
protocol Peer {
  var name: String { get }

  /// The schemas that it may accept, the best first.
  var forms: [Workload.Form] { get }

  /// Installs, in a database with rows, everything that stays in its file.
  func install(in database: PlainDatabase) throws

  /// Starts on a connection.
  func open(on database: PlainDatabase) throws -> any PeerCapture

  /// Whether it can transfer what it recorded into another database.
  var merges: Bool { get }

  /// Transfers everything recorded in one database to another one; the peer manages both.
  func merge(from source: PlainDatabase, into target: PlainDatabase) throws
}

extension Peer {
  var forms: [Workload.Form] { [.usual] }
  var merges: Bool { false }
  func merge(from source: PlainDatabase, into target: PlainDatabase) throws {}
}

/// A peer at work on one connection.
protocol PeerCapture {
  func beforeCommit() throws
  func afterCommit() throws
  /// Must be called before the connection closes.
  func close() throws
}

extension PeerCapture {
  func beforeCommit() throws {}
  func afterCommit() throws {}
  func close() throws {}
}

/// The capture of peers that work by triggers alone.
struct NoCapture: PeerCapture {}
