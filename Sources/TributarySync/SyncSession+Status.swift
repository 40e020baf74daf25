import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryMerge
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// How the store stands, without changing anything here or in the container.
  public func status() throws -> StatusReport {
    try store.service { connection in
      let identity = try StoreIdentity(reading: connection)
      let directory = try identity.directory()
      let last = try Outbox(connection).last()
      var report = StatusReport(
        store: store.path, identity: identity,
        peers: [(identity.peer, identity.peerName, last?.sequence ?? .zero, last?.time ?? .zero)],
        unpublished: 0, waiting: [], conflicts: try ConflictTable(connection).count(),
        schema: try ReplicatedSchema(connection, selection: TableSelection(connection)).name,
        version: try LocalStore.version(connection), findings: [])
      let published = try SegmentTable(connection).last()
      let lastSequence = last?.sequence ?? .zero
      report.unpublished =
        lastSequence > published ? Int(lastSequence.rawValue - published.rawValue) : 0
      for peer in try KnowledgeTable(connection).peers() {
        report.peers.append(
          (
            peer.peer, try name(of: peer.peer, directory, &report.findings), peer.sequence,
            peer.time
          ))
      }
      report.findings += try ImportTriggers(connection).findings()
      try lookAround(identity, directory, connection, &report)
      return report
    }
  }

  private func name(
    of peer: PeerIdentity, _ directory: ContentDirectory, _ findings: inout [String]
  ) throws -> String {
    do {
      return try PeerManifest.read(of: peer, in: directory, using: environment.fileSystem)?.name
        ?? ""
    } catch {
      findings.append("\(error)")
      return ""
    }
  }

  private func lookAround(
    _ identity: StoreIdentity, _ directory: ContentDirectory, _ connection: Connection,
    _ report: inout StatusReport
  ) throws {
    if let since = try Settings(connection).integer(.missingSince) {
      let time = Timestamp.text(milliseconds: UInt64(clamping: since))
      report.findings.append(
        "the container \(identity.container) has been away since \(time); mount it, or if it was wiped on "
          + "purpose, run `tributary sync --reseed`")
      return
    }
    let listing: ContentListing
    do {
      listing = try ContainerScanner(directory, using: environment.fileSystem).scan()
    } catch {
      report.findings.append("\(error)")
      return
    }
    if let disagreement = try disagreement(identity, directory, connection, listing) {
      report.findings.append("\(disagreement)")
    }
    let arrived = try Arrivals(
      own: identity.peer, connection: connection, environment: environment, directory: directory,
      listing: listing,
      manifests: manifests.read(listing, in: directory, using: environment.fileSystem).manifests
    ).look()
    report.waiting = arrived.waiting
    report.findings += arrived.damaged.map { "\($0.path): \($0.reason)" }
    if arrived.ready > 0 {
      report.findings.append(
        "\(arrived.ready == 1 ? "1 transaction has" : "\(arrived.ready) transactions have") arrived and "
          + "not been imported yet; run `tributary sync`")
    }
  }
}
