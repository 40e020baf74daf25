import TributaryCore
import TributaryFiles
import TributaryLog

/// Checks logs as far as that is possible without a store.
final class LogVerification {
  struct Result {
    var peerCount = 0
    var fileCount = 0
    var transactionCount = 0
    var damageCount = 0
    var gaps: [(peer: PeerIdentity, missing: ClosedRange<SequenceNumber>)] = []
    var unknown: [(peer: PeerIdentity, last: SequenceNumber, knower: PeerIdentity)] = []
  }

  private let logs: [PeerLog]
  private let progress: ProgressLine
  private let report: (LogFinding) throws -> Void

  private var result = Result()
  /// What reporting has thrown; nothing is reported any more then.
  private var failure: (any Error)?
  private var finishedByteCount: UInt64 = 0
  private var order = OrderCheck()
  /// Pairs of files that were told to differ.
  private var forks: Set<[String]> = []

  /// - Parameter report: is told of each damage.
  init(_ logs: [PeerLog], progress: ProgressLine, report: @escaping (LogFinding) throws -> Void) {
    self.logs = logs
    self.progress = progress
    self.report = report
  }

  /// - Throws: what reporting throws.
  func run() throws -> Result {
    var segments: [LogSegment] = []
    var contentNames: [String: String] = [:]
    for log in logs {
      for segment in try LogSegments.read([log], report: damage) {
        check(segment, of: log, &contentNames)
        segments.append(segment)
      }
    }
    result.fileCount = logs.reduce(0) { $0 + $1.paths.count }
    result.peerCount = Set(segments.map(\.header.peer) + logs.compactMap(\.peer)).count
    let total = segments.reduce(0) { $0 + Int($1.size) }
    let stream = LogStream(segments, hashing: true, report: damage, finished: finish)
    while let copies = stream.next() {
      take(copies, stream)
      if let failure { throw failure }
      // Asking for the time is dearer than a small transaction.
      if result.transactionCount & 0xFF == 0 {
        progress.show(
          "verifying", done: Int(finishedByteCount + stream.openByteCount), total: total)
      }
    }
    progress.finish()
    if let failure { throw failure }
    result.gaps = order.gaps
    result.unknown = order.unknown
    return result
  }

  private func damage(_ finding: LogFinding) {
    result.damageCount += 1
    guard failure == nil else { return }
    do { try report(finding) } catch { failure = error }
  }

  private func damage(_ path: String, _ message: String) {
    damage(LogFinding(path: path, message: message))
  }

  /// Compares a header with where its file is.
  private func check(
    _ segment: LogSegment, of log: PeerLog, _ contentNames: inout [String: String]
  ) {
    if let contradiction = segment.contradiction(owner: log.peer) {
      damage(segment.path, contradiction)
    }
    guard let content = log.directory?.parentDirectory.parentDirectory else { return }
    let name = contentNames[content, default: segment.header.contentName]
    contentNames[content] = name
    if !name.utf8.elementsEqual(segment.header.contentName.utf8) {
      let other = segment.header.contentName.debugDescription
      damage(
        segment.path,
        "belongs to the content name \(other), others here to \(name.debugDescription)")
    }
  }

  /// Compares a file that was read to its end with its name.
  private func finish(_ cursor: SegmentCursor) {
    finishedByteCount += cursor.byteCount
    guard let name = cursor.segment.name, let hash = cursor.contentHash, hash != name.hash else {
      return
    }
    damage(cursor.segment.path, "its contents have the hash \(hash.lowerHex), not that of its name")
  }

  private func take(_ copies: LogStream.Copies, _ stream: LogStream) {
    guard let first = copies.first, let transaction = first.transaction else { return }
    result.transactionCount += 1
    if let contradiction = order.take(transaction, of: first.peer) {
      damage(first.segment.path, contradiction)
    }
    if copies.count > 1 { compare(copies, transaction.sequence, stream) }
  }

  private func compare(
    _ copies: LogStream.Copies, _ sequence: SequenceNumber, _ stream: LogStream
  ) {
    var digests: [(path: String, digest: UInt64)] = []
    for cursor in copies {
      do {
        digests.append((cursor.segment.path, try TransactionDigest.compute(cursor)))
      } catch {
        stream.abandon(cursor, error)
      }
    }
    guard let first = digests.first else { return }
    for other in digests.dropFirst() where other.digest != first.digest {
      if forks.insert([first.path, other.path]).inserted {
        damage(other.path, "fork: its transaction \(sequence) is another than in \(first.path)")
      }
    }
  }
}
