internal import TributaryContainer
package import TributaryCore
package import TributaryFiles
internal import TributaryLog

/// Checks logs as far as is possible without a store.
package final class LogVerification {
  /// What was found, and what was missing or wrong.
  package struct Result {
    package var peerCount = 0
    package var fileCount = 0
    package var transactionCount = 0
    package var damageCount = 0
    /// Where the history of each content name begins. What devices have forgotten is in no segment, but is
    /// not a gap.
    package var beginnings: [LogBeginning] = []
    /// The files that are written above horizons that no baseline here has, and the declarations of these
    /// horizons. What their authors knew below these could not be checked.
    package var unresolved: [(path: String, declaration: UInt64)] = []
    /// The files whose header could be read.
    package var segments: [LogSegment] = []
    package var gaps: [(peer: PeerIdentity, missing: ClosedRange<SequenceNumber>)] = []
    package var unknown: [(peer: PeerIdentity, last: SequenceNumber, knower: PeerIdentity)] = []
    /// The first transaction of each peer that came before a cause by another peer, and that cause, which may
    /// have come later.
    package var waits: [(peer: PeerIdentity, sequence: SequenceNumber, cause: Knowledge.Entry)] = []
  }

  private let logs: [PeerLog]
  private let fileSystem: any FileSystem
  private let progress: (_ done: Int, _ total: Int) -> Void
  private let report: (LogFinding) throws -> Void
  private let visitor: (any TransactionVisitor)?

  private var result = Result()
  /// The error that reporting has thrown; nothing more is reported after it.
  private var failure: (any Error)?
  private var order = OrderCheck()
  private var contradictions = OrderContradictions()
  /// The pairs of files already reported as different.
  private var forks: Set<[String]> = []

  /// Makes a verification.
  ///
  /// - Parameter progress: called periodically with the number of bytes done and the total.
  /// - Parameter report: receives each finding.
  /// - Parameter visitor: sees the transactions, since they have to be read anyway.
  package init(
    _ logs: [PeerLog], using fileSystem: any FileSystem = LocalFileSystem(),
    visitor: (any TransactionVisitor)? = nil,
    progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in },
    report: @escaping (LogFinding) throws -> Void
  ) {
    self.logs = logs
    self.fileSystem = fileSystem
    self.progress = progress
    self.report = report
    self.visitor = visitor
  }

  /// Checks everything.
  ///
  /// - Throws: what reporting or the visitor throws.
  package func run() throws -> Result {
    var owned: [(segment: LogSegment, owner: PeerIdentity?)] = []
    for log in logs {
      let segments = try LogSegments.read([log], using: fileSystem, report: damage)
      owned += segments.map { ($0, log.peer) }
    }
    let segments = owned.map(\.segment)
    let contents = ContentNames(of: segments)
    for (segment, owner) in owned { check(segment, owner: owner, contents) }
    result.segments = segments
    let horizons = KnownHorizons()
    result.unresolved = segments.compactMap { segment in
      guard let horizon = segment.header.horizon,
        horizons.horizon(horizon, ofSegment: segment.path, using: fileSystem) == nil
      else { return nil }
      return (segment.path, horizon.declaration)
    }
    result.fileCount = logs.reduce(0) { $0 + $1.paths.count }
    result.peerCount = Set(segments.map(\.header.peer) + logs.compactMap(\.peer)).count
    let total = segments.reduce(0) { $0 + Int(clamping: $1.size) }
    let logs = LogStream(
      segments, hashing: true, horizons: horizons, using: fileSystem, report: damage)
    while let stream = logs.next() {
      take(stream)
      if let failure { throw failure }
      // Asking for the time costs more than reading a small transaction.
      if result.transactionCount & 0xFF == 0 {
        progress(Int(clamping: logs.byteCount), total)
      }
    }
    for finding in contradictions.findings { damage(finding) }
    if let failure { throw failure }
    result.beginnings = BaselineVerification(using: fileSystem, report: damage).run(
      beside: self.logs, having: order.coverage, contentNames: contents.names)
    if let failure { throw failure }
    // A missing part of what was forgotten is not a gap either: what is missing is a baseline.
    let horizon = result.beginnings.reduce(Knowledge()) { known, beginning in
      var known = known.union(beginning.horizon)
      for gap in beginning.missing {
        known[gap.peer] = max(known[gap.peer], gap.missing.upperBound)
      }
      return known
    }
    result.gaps = order.gaps.compactMap { gap in
      let first = max(gap.missing.lowerBound, horizon[gap.peer].next)
      return first <= gap.missing.upperBound ? (gap.peer, first...gap.missing.upperBound) : nil
    }
    result.unknown = order.unknown.filter { $0.last > horizon[$0.peer] }
    result.waits = order.waits.filter { $0.cause.sequence > horizon[$0.cause.peer] }
    return result
  }

  private func damage(_ finding: LogFinding) {
    result.damageCount += 1
    guard failure == nil else { return }
    do { try report(finding) } catch { failure = error }
  }

  /// Compares a header with the place of its file.
  private func check(_ segment: LogSegment, owner: PeerIdentity?, _ contents: ContentNames) {
    if let contradiction = segment.contradiction(owner: owner) {
      var finding = LogFinding(foreign: segment.path, message: contradiction)
      finding.peer = segment.header.peer
      damage(finding)
    }
    if let foreign = contents.foreign(segment, using: fileSystem) { damage(foreign) }
  }

  private func take(_ stream: SegmentStream) {
    guard let first = stream.copies.first, let transaction = stream.head else { return }
    result.transactionCount += 1
    if let found = order.take(transaction, of: first.peer) {
      contradictions.add(
        found.contradiction, of: first.peer, transaction.sequence, to: found.other,
        in: first.path)
    }
    if stream.copies.count > 1 {
      compare(stream, transaction.sequence)
    } else if visitor != nil {
      do { try visit(first) { while let change = try first.nextChange() { try $0(change) } } } catch
      {
        abandon(first, error, stream)
      }
    }
  }

  /// Shows the visitor the transaction at a cursor.
  ///
  /// - Parameter read: calls its argument with each change of the transaction.
  private func visit(
    _ cursor: SegmentCursor, _ read: ((ChangeView) throws -> Void) throws -> Void
  ) throws {
    guard let visitor, let transaction = cursor.transaction else { return try read { _ in } }
    visitor.begin(transaction, in: cursor.header)
    try read { try visitor.take($0, cursor.shape($0.shapeID)) }
    try visitor.end()
  }

  /// Skips a file that failed. Any other error is the visitor's and ends everything.
  private func abandon(_ cursor: SegmentCursor, _ error: any Error, _ stream: SegmentStream) {
    if error is LogError || error is FileError {
      stream.abandon(cursor, error)
    } else if failure == nil {
      failure = error
    }
  }

  private func compare(_ stream: SegmentStream, _ sequence: SequenceNumber) {
    var digests: [(path: String, digest: UInt64)] = []
    let isResolved = stream.copies.allSatisfy { $0.unknownHorizon == nil }
    for cursor in stream.copies {
      do {
        var digest: UInt64 = 0
        if digests.isEmpty {
          try visit(cursor) {
            digest = try TransactionDigest.compute(cursor, withKnowledge: isResolved, each: $0)
          }
        } else {
          digest = try TransactionDigest.compute(cursor, withKnowledge: isResolved)
        }
        digests.append((cursor.path, digest))
      } catch {
        abandon(cursor, error, stream)
      }
    }
    guard let first = digests.first else { return }
    for other in digests.dropFirst() where other.digest != first.digest {
      if forks.insert([first.path, other.path]).inserted {
        var finding = LogFinding(
          .fork, path: other.path,
          message: "fork: its transaction \(sequence) is not the one in \(first.path)")
        finding.peer = stream.peer
        finding.sequence = sequence
        damage(finding)
      }
    }
  }
}
