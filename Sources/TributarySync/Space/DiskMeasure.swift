import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Measures how much disk space a store takes.
struct DiskMeasure {
  let connection: Connection
  let environment: StoreEnvironment

  /// At most this many files are examined at once: one operation on the container has a time limit.
  private static let chunk = 256

  /// Measures everything outside the container.
  ///
  /// - Complexity: reads the bookkeeping, but no row of the application.
  func local() throws -> DiskUse {
    func size(_ path: String) throws -> UInt64 {
      try environment.localFiles.status(path)?.size ?? 0
    }
    let path = connection.filePath
    var use = DiskUse(store: try size(path), writeAheadLog: try size(path + "-wal"))
    if let tables = try tables() {
      let isOutbox = { (name: String) in name.hasPrefix("tributary_outbox") }
      use.outbox = tables.filter { isOutbox($0.name) }.reduce(0) { $0 + $1.bytes }
      use.bookkeeping = tables.filter { !isOutbox($0.name) }.reduce(0) { $0 + $1.bytes }
    }
    use.limit = try Settings(connection).spaceLimit()
    use.used = try published()
    return use
  }

  /// Returns approximately what the store's own segments and records take, without examining a file or
  /// reading a published record.
  func published() throws -> UInt64 {
    let table = SegmentTable(connection)
    let used = try table.all().reduce(0) { $0 + $1.bytes + UInt64(clamping: $1.payload) }
    let (published, last) = (try table.last(), try Outbox(connection).last()?.sequence ?? .zero)
    guard published < last else { return used }
    return used
      + UInt64(clamping: try OutboxSizes(connection).total(from: published.next, to: last))
  }

  /// Returns the sizes of the bookkeeping's tables, including their indexes; `nil` if SQLite was built
  /// without *dbstat*, which counts pages.
  private func tables() throws -> [(name: String, bytes: UInt64)]? {
    let hasPageCounts = try connection.integer(
      "SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'")
    guard hasPageCounts == 1 else { return nil }
    let statement = try connection.prepare(
      """
      SELECT s.tbl_name, sum(d.pgsize) FROM main.sqlite_schema AS s
        CROSS JOIN dbstat AS d ON d.name = s.name AND d.aggregate = 1
      WHERE s.tbl_name LIKE 'tributary\\_%' ESCAPE '\\' AND s.type IN ('table', 'index')
      GROUP BY 1
      """)
    var tables: [(name: String, bytes: UInt64)] = []
    while try statement.step() {
      tables.append((statement.string(0), UInt64(clamping: statement.integer(1))))
    }
    return tables
  }

  /// Measures the files in the container.
  ///
  /// - Parameters:
  ///   - manifests: may have receipts that are limited to this store's own transactions.
  ///   - gone: the peers that are not counted on.
  /// - Throws: what is wrong with the container.
  func container(
    of exchange: Exchange, manifests: [PeerIdentity: PeerManifest], gone: Set<PeerIdentity>
  ) throws -> DiskUse.Container {
    var use = DiskUse.Container()
    let own = exchange.own
    let acknowledgement = try Acknowledgement(exchange, manifests: manifests, gone: gone)
    let withdrawn = Set(try WithdrawalTable(connection).all(of: own).map(\.name))
    let newest = try SegmentTable(connection).all().last?.name
    for peer in exchange.listing.peers {
      let sizes = try sizes(peer.segments.map(\.path))
      let baselines = try baselines(of: peer.peer, in: exchange.directory)
      guard peer.peer == own else {
        use.otherLogs += sizes.reduce(0, +)
        use.otherBaselines += baselines
        continue
      }
      use.ownBaselines = baselines
      use.ownLog = sizes.reduce(0, +)
      for (segment, size) in zip(peer.segments, sizes) {
        if segment.name == newest, segment.name.last <= acknowledgement.all {
          use.kept += size
        } else if segment.name.last <= acknowledgement.all || withdrawn.contains("\(segment.name)")
        {
          use.reclaimable += size
        } else {
          use.held += size
        }
      }
    }
    try addRecords(upTo: acknowledgement.all, to: &use)
    use.holders = acknowledgement.holders
    return use
  }

  /// Adds the records of own transactions.
  ///
  /// - Parameter settled: the transactions that every peer has.
  private func addRecords(
    upTo settled: SequenceNumber, to use: inout DiskUse.Container
  ) throws {
    let outbox = Outbox(connection)
    guard let first = try outbox.first(), let last = try outbox.last()?.sequence else { return }
    let segments = try SegmentTable(connection).all()
    var next = first
    for segment in segments where segment.name.first >= first {
      let bytes = UInt64(clamping: segment.payload)
      if segment.name.last > settled {
        use.held += bytes
      } else if segment.name == segments.last?.name {
        use.kept += bytes
      } else {
        use.reclaimable += bytes
      }
      next = max(next, segment.name.last.next)
    }
    if next <= last {
      use.held += UInt64(clamping: try OutboxSizes(connection).total(from: next, to: last))
    }
  }

  /// Returns the size of a peer's baselines.
  func baselines(of peer: PeerIdentity, in directory: ContentDirectory) throws -> UInt64 {
    let path = directory.baseline(of: peer)
    let entries: [DirectoryEntry]
    do {
      entries = try environment.fileSystem.list(path)
    } catch {
      if error.isMissing { return 0 }
      throw ContainerError(error)
    }
    return try sizes(entries.map { path.appending(component: $0.name) }).reduce(0, +)
  }

  /// Returns the sizes of files; zero for a path that is not a file or is gone.
  private func sizes(_ paths: [String]) throws -> [UInt64] {
    try stride(from: 0, to: paths.count, by: Self.chunk).flatMap { start in
      try environment.statuses(Array(paths[start..<min(start + Self.chunk, paths.count)])).map {
        $0.map { $0.kind == .file ? $0.size : 0 } ?? 0
      }
    }
  }
}
