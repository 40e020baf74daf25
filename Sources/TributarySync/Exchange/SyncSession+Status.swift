import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryMerge
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Returns the state of the store, without changing anything here or in the container.
  package func status() throws -> StatusReport {
    // A synchronisation may wait for the container. This connection never waits for long.
    try store.service { connection in
      let identity = try StoreIdentity(reading: connection)
      let trouble = try ContainerTrouble(reading: Settings(connection))
      let directory = try identity.directory()
      let last = try Outbox(connection).last()
      let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
      var report = StatusReport(
        store: store.path, identity: identity,
        peers: [(identity.peer, identity.peerName, last?.sequence ?? .zero, last?.time ?? .zero)],
        unpublished: 0, waiting: [], conflicts: try ConflictTable(connection).count(),
        schema: schema.name, keys: schema.chosenKeys,
        version: try LocalStore.version(connection), trouble: trouble,
        space: try DiskMeasure(connection: connection, environment: looking).local(), findings: [])
      if let full = environment.fullDisk(of: store.path) {
        report.findings.append("\(full.finding); \(full.remedy)")
      }
      report.followsSchema = try FollowedSchema(connection).isFollowing
      let isAway = trouble?.isAway == true || environment.executor?.isStuck == true
      let published = try SegmentTable(connection).last()
      let lastSequence = last?.sequence ?? .zero
      report.unpublished =
        lastSequence > published ? Int(lastSequence.rawValue - published.rawValue) : 0
      for peer in try KnowledgeTable(connection).peers() {
        report.peers.append(
          (
            peer.peer,
            isAway ? "" : try name(of: peer.peer, identity.peer, directory, &report.findings),
            peer.sequence, peer.time
          ))
      }
      report.findings += try StoppedTables(connection).findings().map(\.description)
      report.findings += try KeylessRows(connection).findings().map(\.description)
      let ahead = try StampsAhead(connection).finding(at: environment.clock.milliseconds())
      report.findings += [ahead].compactMap { $0?.description }
      let triggers = ImportTriggers(connection)
      report.findings += try triggers.findings().map(\.description) + triggers.notes()
      let extensions = StoreExtensions(connection, birth: environment.birth)
      report.findings += try [extensions.finding()].compactMap(\.self)
      report.findings += try UnmadeObjects(connection).leftOut().map { "left out: \($0)" }
      // If another program may have written, the tables show whether it has, and what.
      let comparison =
        isAway || connection.keepsOthersOut
        ? nil : LogComparison(path: store.path, environment: looking)
      report.findings += try ForeignWrites(connection, comparison: comparison).findings()
        .map(\.line)
      let place = report.findings.count
      if !isAway {
        try lookAround(Exchange(identity, connection, looking, directory, memory), &report)
      }
      if let trouble { report.findings.insert(finding(trouble, report), at: place) }
      if let notice = report.space.notice { report.findings.append("\(notice)") }
      return report
    }
  }

  /// - Parameter own: the store's own identity. A manifest is read only as far as it concerns this identity,
  ///   which is enough for its name.
  private func name(
    of peer: PeerIdentity, _ own: PeerIdentity, _ directory: ContentDirectory,
    _ findings: inout [String]
  ) throws -> String {
    // A hanging container is reported only once.
    if looking.executor?.isStuck == true { return "" }
    do {
      return try PeerManifest.read(
        of: peer, in: directory, about: own, using: looking.fileSystem)?.name ?? ""
    } catch {
      findings.append("\(error)")
      return ""
    }
  }

  private func finding(_ trouble: ContainerTrouble, _ report: StatusReport) -> String {
    let container = report.identity.container
    let since = Timestamp.text(milliseconds: trouble.since)
    let unpublished =
      report.unpublished == 1
      ? "1 transaction is unpublished" : "\(report.unpublished) transactions are unpublished"
    let what =
      switch trouble.kind {
      case ContainerError.Code.absent.rawValue, ContainerError.Code.wiped.rawValue:
        "the container \(container) has been away since \(since), and \(unpublished): mount it, or if "
          + "it was wiped on purpose, run `tributary sync --reseed`"
      case ContainerError.Code.unresponsive.rawValue:
        "the container \(container) has not answered since \(since), and \(unpublished)"
      default:
        "the container \(container) cannot be fully used since \(since), and \(unpublished)"
      }
    return "\(what); \(trouble.reason)"
  }

  /// Returns the disk space that the files in the container take.
  private func space(
    of exchange: Exchange, _ report: StatusReport
  ) throws -> DiskUse.Container {
    let manifests = exchange.manifests.all
    var gone = try Retirements(Settings(exchange.connection)).all()
    gone.formUnion(manifests.goneIdentities)
    return try DiskMeasure(connection: exchange.connection, environment: looking)
      .container(of: exchange, manifests: manifests, gone: gone)
  }

  private func lookAround(_ known: Exchange, _ report: inout StatusReport) throws {
    var exchange = known
    do {
      try exchange.look()
    } catch {
      if report.trouble == nil { report.findings.append("\(error)") }
      return
    }
    let known = Set(report.peers.map(\.peer)).union(exchange.manifests.all.goneIdentities)
    for (peer, manifest) in exchange.manifests.all.sorted(by: { $0.key < $1.key })
    where !known.contains(peer) {
      report.peers.append((peer, manifest.name, .zero, .zero))
    }
    let agreement = try agreement(exchange)
    if let disagreement = agreement.disagreement { report.findings.append("\(disagreement)") }
    report.findings += agreement.ofMigrations.map(\.description)
    report.findings += agreement.twofold.map(\.description)
    let newer = exchange.manifests.newer.map { "\($0)" }
    report.findings += newer.filter { !report.findings.contains($0) }
    do {
      report.unpublished += Int(clamping: try exchange.unwritten())
    } catch let error as ContainerError {
      report.findings.append("\(error)")
    }
    report.successors = PeerManifest.successors(among: exchange.manifests.all)
    do {
      try report.space.add(space(of: exchange, report))
    } catch let error as ContainerError {
      report.findings.append("\(error)")
    }
    let arrived = try Arrivals(exchange: exchange).look()
    let failure = arrived.failure ?? exchange.manifests.denied.first
    // A failure that the last synchronisation met is reported already.
    if let failure = failure.map(looking.explaining), report.trouble?.reason != "\(failure)" {
      report.findings.append("\(failure)")
    }
    report.waiting = arrived.waiting
    let book = FirstSights(Settings(exchange.connection), clock: environment.clock)
    let sights = try book.all()
    report.delays = try delays(
      arrived.waiting, undelivered(exchange, book, besides: arrived.waiting), exchange, sights)
    let files = DelayedFiles(
      arrived.damaged + exchange.manifests.damagedFiles, in: exchange.directory, looking)
    let (arriving, damaged) = files.divide(since: sights)
    if let failure = files.failure { report.findings.append("\(failure)") }
    report.findings += arriving.map { "\($0.path) has not arrived whole yet" }
    report.findings += damaged.map { "\($0.path): \($0.reason)" }
    // Nothing is imported until the devices agree.
    if arrived.ready > 0, agreement.disagreement == nil {
      report.findings.append(
        "\(arrived.ready == 1 ? "1 transaction has" : "\(arrived.ready) transactions have") arrived and "
          + "not been imported yet; run `tributary sync`")
    }
  }
}
