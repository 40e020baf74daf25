internal import TributaryContainer
internal import TributaryCore
package import TributaryFiles
package import TributaryReplay
internal import TributarySQLite

/// Makes a report of logs, reading them once.
///
/// Memory is bounded by `ReportLimits` and by the number of peers and files, whatever their
/// contents; each written row takes space in a temporary file.
package struct ReportCollector {
  private let filter: TransactionFilter
  private let limits: ReportLimits
  private let fileSystem: any FileSystem
  private let clock: any WallClock
  private let progress: (_ done: Int, _ total: Int) -> Void
  private let report: (LogFinding) -> Void

  /// Makes a collector.
  ///
  /// - Parameters:
  ///   - filter: the transactions that the report shows; it shows knowledge and damage regardless
  ///     of the filter.
  ///   - progress: called periodically with numbers of bytes.
  ///   - report: called for each case of damage.
  package init(
    filter: TransactionFilter = TransactionFilter(), limits: ReportLimits = ReportLimits(),
    using fileSystem: any FileSystem = LocalFileSystem(), clock: any WallClock = SystemClock(),
    progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in },
    report: @escaping (LogFinding) -> Void = { _ in }
  ) {
    self.filter = filter
    self.limits = limits
    self.fileSystem = fileSystem
    self.clock = clock
    self.progress = progress
    self.report = report
  }

  /// Reads all logs below some paths.
  ///
  /// - Throws: `FileError` and `ContainerError` for a path that cannot be listed, `SQLiteError` if
  ///   there is no space for temporary files. Damage is in the report instead.
  package func collect(_ paths: [String]) throws -> LogReport {
    var made = LogReport()
    made.paths = paths
    made.time = clock.milliseconds()
    func note(_ finding: LogFinding) {
      made.findingCount += 1
      if made.findings.count < limits.findings { made.findings.append(finding) }
      report(finding)
    }
    let search = LogSearch(using: fileSystem)
    let logs = try search.logs(at: paths)
    let registry = ReportVisitor.Registry(limits)
    let visitor = try ReportVisitor(filter, limits, registry)
    var manifests: [(number: Int, manifest: PeerManifest)] = []
    for log in logs {
      guard let peer = log.peer, let directory = log.directory else { continue }
      let number = registry.peers.number(of: peer)
      do {
        guard let manifest = try search.manifest(of: peer, in: directory) else { continue }
        let content = registry.number(ofContent: manifest.content.text)
        registry.peers[number].content = content
        visitor.add(manifest.schema, content: content)
        manifests.append((number, manifest))
      } catch {
        note(LogFinding(path: directory.appending(component: PeerManifest.fileName), error))
      }
    }
    let verified = try withoutActuallyEscaping(note) { note in
      try LogVerification(
        logs, using: fileSystem, visitor: visitor, progress: progress, report: note
      ).run()
    }
    take(verified.segments, registry)
    for (number, manifest) in manifests { take(manifest, number, registry) }
    let last = Dictionary(
      manifests.map { ($0.manifest.peer, $0.manifest) }, uniquingKeysWith: { $1 })
    for (peer, successor) in PeerManifest.successors(among: last) {
      guard let former = registry.peers.number(mentioned: peer) else { continue }
      registry.peers[former].successor = registry.peers.number(of: successor)
    }
    take(verified, registry, into: &made)
    take(visitor, registry, into: &made)
    return made
  }

  private func take(_ segments: [LogSegment], _ registry: ReportVisitor.Registry) {
    for segment in segments {
      let number = registry.peers.number(of: segment.header.peer)
      registry.peers[number].segmentCount += 1
      registry.peers[number].fileBytes += segment.size
      registry.peers[number].last = max(registry.peers[number].last, segment.header.last)
    }
  }

  private func take(
    _ manifest: PeerManifest, _ number: Int, _ registry: ReportVisitor.Registry
  ) {
    if !manifest.name.isEmpty { registry.peers[number].name = manifest.name }
    registry.peers[number].published = manifest.sequence
    registry.peers[number].known = manifest.receipt
    for entry in manifest.receipt.entries { _ = registry.peers.number(mentioned: entry.peer) }
    for peer in manifest.retired {
      if let retired = registry.peers.number(mentioned: peer) {
        registry.peers[retired].isRetired = true
      }
    }
    for peer in manifest.former.keys { _ = registry.peers.number(mentioned: peer) }
  }

  private func take(
    _ verified: LogVerification.Result, _ registry: ReportVisitor.Registry,
    into made: inout LogReport
  ) {
    made.beginning = verified.beginnings.compactMap(\.baseline).first
    var missing: [Int: [ClosedRange<SequenceNumber>]] = [:]
    for gap in verified.gaps + verified.beginnings.flatMap(\.missing) {
      let number = registry.peers.number(of: gap.peer)
      missing[number, default: []].append(gap.missing)
      made.gaps.append((number, gap.missing))
    }
    for entry in verified.unknown {
      guard let number = registry.peers.number(mentioned: entry.peer) else { continue }
      let last = registry.peers[number].last
      if entry.last > last {
        made.gaps.append((number, last.next...entry.last))
      }
    }
    made.gapCount = made.gaps.count
    made.gaps = Array(made.gaps.prefix(limits.findings))
    let waits = verified.waits.compactMap { wait -> ReportWait? in
      let sequence = wait.cause.sequence
      guard let cause = registry.peers.number(mentioned: wait.cause.peer),
        sequence > registry.peers[cause].last
          || (missing[cause] ?? []).contains(where: { $0.contains(sequence) })
      else { return nil }
      return ReportWait(
        peer: registry.peers.number(of: wait.peer), sequence: wait.sequence, cause: cause,
        causeSequence: sequence)
    }
    made.waitCount = waits.count
    made.waits = Array(waits.prefix(limits.findings))
  }

  private func take(
    _ visitor: ReportVisitor, _ registry: ReportVisitor.Registry, into made: inout LogReport
  ) {
    for number in registry.peers.peers.indices {
      // A peer has everything that its transactions knew; its manifest may be older.
      registry.peers[number].known.formUnion(visitor.knowledge(of: number))
    }
    for (number, base) in visitor.recent.bases {
      registry.peers[number].base = Knowledge(
        base.map { .init(peer: registry.peers[$0.key].identity, sequence: $0.value) })
    }
    made.contents = registry.contents
    made.peers = registry.peers.peers
    made.tables = visitor.tables.tables
    made.otherTables = visitor.tables.others
    made.total = visitor.total
    made.transactions = visitor.recent.all
    made.older = visitor.recent.older
    made.growth = visitor.growth
    made.conflicts = visitor.conflicts.newest
    made.conflictCounts = visitor.conflicts.counts
  }
}
