/// An SQLite extension that replicates, loaded from a file.
struct LoadablePeer: Peer {
  let name: String
  let file: String
  /// The statement that makes the extension manage the table `tracks`. If it fails, another schema
  /// is tried.
  let installation: String?

  /// The statement that must run before a connection closes.
  private let farewell: String?
  private let transfer: ChangeTransfer?

  /// Reads the argument.
  ///
  /// - Parameter argument: `NAME=FILE[:SQL]`.
  init(_ argument: String) throws {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
      throw BenchmarkError("--peer wants NAME=FILE.so or NAME=FILE.so:SQL, not \(argument)")
    }
    name = String(argument[..<equals])
    let rest = argument[argument.index(after: equals)...]
    let colon = rest.firstIndex(of: ":")
    file = String(rest[..<(colon ?? rest.endIndex)])
    guard !file.isEmpty else { throw BenchmarkError("--peer \(name) wants a file") }
    let known = Self.known[name]
    installation = colon.map { String(rest[rest.index(after: $0)...]) } ?? known?.installation
    farewell = known?.farewell
    transfer = known?.transfer
  }

  private struct Known {
    var installation: String
    var farewell: String
    var transfer: ChangeTransfer
  }

  private static let known = [
    "cr-sqlite": Known(
      installation: "SELECT crsql_as_crr('tracks')", farewell: "SELECT crsql_finalize()",
      transfer: ChangeTransfer(
        table: "crsql_changes",
        columns: [
          "\"table\"", "pk", "cid", "val", "col_version", "db_version", "site_id", "cl", "seq",
        ])),
    "sqlite-sync": Known(
      installation: "SELECT cloudsync_init('tracks')", farewell: "SELECT cloudsync_terminate()",
      transfer: ChangeTransfer(
        table: "cloudsync_changes",
        columns: [
          "tbl", "pk", "col_name", "col_value", "col_version", "db_version", "site_id", "cl", "seq",
        ])),
  ]

  var forms: [Workload.Form] { Workload.Form.allCases }

  func install(in database: PlainDatabase) throws {
    try database.load(extension: file)
    // Even after a failure: some extensions keep statements open that only this ends.
    defer { sayFarewell(to: database) }
    if let installation { try database.execute(installation) }
  }

  func open(on database: PlainDatabase) throws -> any PeerCapture {
    try database.load(extension: file)
    return Capture(peer: self, database: database)
  }

  var merges: Bool { transfer != nil }

  func merge(from source: PlainDatabase, into target: PlainDatabase) throws {
    // A row counts as a change of each of its columns.
    try transfer?.run(
      from: source, to: target, changesPerTransaction: 10_000 * Workload.columns.count)
  }

  fileprivate func sayFarewell(to database: PlainDatabase) {
    // A version that does not know the statement does not need it.
    if let farewell { try? database.execute(farewell) }
  }

  private struct Capture: PeerCapture {
    let peer: LoadablePeer
    let database: PlainDatabase

    func close() { peer.sayFarewell(to: database) }
  }
}
