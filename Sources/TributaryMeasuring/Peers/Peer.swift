/// Another way to note what changed, measured beside the store.
protocol Peer {
  var name: String { get }

  /// Schemas that it may be given, the best first.
  var forms: [Workload.Form] { get }

  /// Puts into a database with rows what stays in its file.
  func install(in database: PlainDatabase) throws

  /// Begins on a connection.
  func open(on database: PlainDatabase) throws -> any PeerCapture

  /// Whether it can bring what it noted into another database.
  var merges: Bool { get }

  /// Brings everything that was noted in one database into another one, both in its care.
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
  /// Before the connection closes.
  func close() throws
}

extension PeerCapture {
  func beforeCommit() throws {}
  func afterCommit() throws {}
  func close() throws {}
}

/// What works by triggers alone.
struct NoCapture: PeerCapture {}
