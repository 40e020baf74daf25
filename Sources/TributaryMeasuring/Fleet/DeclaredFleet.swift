import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributaryStore
import TributarySync

/// Many devices that obey one declared horizon. Ten of them write.
///
/// The writers and one reader are stores, which promise, obey and forget on their own. All others are
/// `QuietPeers`: a thousand stores that each read what all others say would take an hour.
final class DeclaredFleet {
  let stores: SharedStores
  let directory: ContentDirectory
  let writers: [String]
  let reader = "reader"
  private var next = 1

  static let writerCount = 10

  /// Makes the devices.
  ///
  /// - Parameter count: the total number of devices.
  init(of count: Int, _ scratch: Scratch, environment: StoreEnvironment = StoreEnvironment()) throws
  {
    var environment = environment
    // No waiting for other members: those that would write the baseline may have no store.
    environment.horizons.courtesy = 0
    stores = try SharedStores(scratch, environment: environment)
    writers = (1...Self.writerCount).map { "writer\($0)" }
    directory = ContentDirectory(
      container: stores.container, name: try ContentName(SharedStores.contentName))
    let names = writers + [reader]
    for name in names { try stores.attach(name) }
    for name in writers { try writeRow(name) }

    let quiet = try makeQuietPeers(count - names.count, scratch, environment)
    for _ in 0..<2 { try synchronize(names) }
    let declaration = try Self.declaration(
      of: everything(), members: quiet.peers + identities(names))
    try quiet.promise(declaration)
    // The stores promise one after another. Then each sees the others' promises, and then a baseline.
    for _ in 0..<2 { try synchronize(names) }
    try quiet.settle(by: declaration)
    for _ in 0..<2 { try synchronize(names) }
    for name in names {
      let record = try stores.session(name).store.service { try HorizonRecord($0) }
      guard
        record
          == HorizonRecord(
            state: HorizonState(obeyed: declaration, promises: [], dropped: []),
            settled: declaration)
      else {
        throw BenchmarkError("\(name) has not forgotten by the declaration")
      }
    }
    // From now on, what is above the horizon comes from all writers.
    for name in writers { try writeRow(name) }
    try synchronize(names)
  }

  /// Writes a row, and publishes it.
  func write(_ name: String) throws {
    try writeRow(name)
    try synchronize([name])
  }

  /// Updates two columns of the first row, and publishes that.
  func update(_ name: String) throws {
    try StoreRun(
      workload: Workload(operation: .update, rowsPerTransaction: 1, rows: 1),
      input: Workload.Input(targets: Tracks(1), order: [0], titles: Tracks(1, seed: 11))
    ).run(on: stores.session(name).store)
    try synchronize([name])
  }

  /// Returns the size of a store's `peer.json`, in bytes.
  func manifestByteCount(_ name: String, _ scratch: Scratch) throws -> Int {
    try scratch.size(of: directory.manifest(of: identities([name])[0]))
  }

  /// Returns the size of the last segment of a store, in bytes.
  func lastSegmentByteCount(_ name: String, _ scratch: Scratch) throws -> Int {
    let log = try stores.log(of: name)
    guard let last = log.names.last else { throw BenchmarkError("nothing was published") }
    return try scratch.size(of: log.segments.path(of: last))
  }

  private func synchronize(_ names: [String]) throws {
    for name in names { _ = try SharedStores.checked(stores.session(name).synchronize()) }
  }

  private func writeRow(_ name: String) throws {
    try stores.insert(name, rows: 1, from: next, rowsPerTransaction: 1)
    next += 1
  }

  private func identities(_ names: [String]) throws -> [PeerIdentity] {
    try names.map { try stores.session($0).store.identity().peer }
  }

  private func makeQuietPeers(
    _ count: Int, _ scratch: Scratch, _ environment: StoreEnvironment
  ) throws -> QuietPeers {
    // Its transactions serve as those of the others.
    let model = try SharedStores(scratch, environment: environment)
    defer { scratch.remove(directory: model.container) }
    try model.attach("model")
    try model.insert("model", rows: count, from: next, rowsPerTransaction: 1)
    next += count
    let session = try model.session("model")
    _ = try SharedStores.checked(session.synchronize())
    let manifest = try PeerManifest.read(
      of: identities(writers)[0], in: directory, using: LocalFileSystem())
    guard let schema = manifest?.schema else { throw BenchmarkError("there is no peer.json") }
    var random = Randomness(seed: UInt64(count))
    return try QuietPeers(
      (0..<count).map { _ in .random(using: &random) }, in: directory,
      from: model.log(of: "model"), schema: schema)
  }

  /// Returns the last transaction of each peer.
  private func everything() throws -> [BaselineHeader.Entry] {
    // A store lists all transactions except its own.
    let known = try [reader, writers[0]].map { name in
      try stores.session(name).store.service { try KnowledgeTable($0).peers() }
    }
    let entries = known.joined().map {
      ($0.peer, BaselineHeader.Entry(peer: $0.peer, sequence: $0.sequence, time: $0.time))
    }
    return Dictionary(entries, uniquingKeysWith: { $1 }).values.sorted { $0.peer < $1.peer }
  }

  private static func declaration(
    of entries: [BaselineHeader.Entry], members: [PeerIdentity]
  ) -> Declaration {
    Declaration(weight: UInt64(members.count), members: members, entries: entries)
  }
}
