package import TributaryContainer
internal import TributaryCore
package import TributaryFiles
internal import TributaryLog

/// Goes through the wanted transactions of logs in order of their stamps, each once: where segments
/// overlap, another copy stands in for one that cannot be read. Two transactions under one sequence,
/// a fork, are both handed out.
package struct LogWalk {
  private let segments: [LogSegment]
  private let filter: TransactionFilter
  private let fileSystem: any FileSystem
  private let progress: (_ done: Int, _ total: Int) -> Void

  /// - Parameter progress: is told of bytes, from time to time.
  package init(
    _ segments: [LogSegment], _ filter: TransactionFilter = TransactionFilter(),
    using fileSystem: any FileSystem = LocalFileSystem(),
    progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) {
    self.segments = segments.filter { filter.includes($0.header) }
    self.filter = filter
    self.fileSystem = fileSystem
    self.progress = progress
  }

  /// - Parameter report: is told of each damage; everything else goes on.
  /// - Parameter body: reads the changes that it wants, and lets pass what that throws. It may be
  ///   called again with another copy of the transaction then.
  /// - Throws: what the body throws, but for `LogError` and `FileError`.
  package func run(
    report: (LogFinding) -> Void, _ body: (LogTransaction) throws -> Void
  ) throws {
    let total = segments.reduce(0) { $0 + Int(clamping: $1.size) }
    var finishedByteCount = 0
    var count = 0
    try withoutActuallyEscaping(report) { report in
      let stream = LogStream(
        segments, using: fileSystem, report: report,
        finished: { finishedByteCount += Int(clamping: $0.byteCount) })
      while let copies = stream.next() {
        try take(copies, stream, body)
        count += 1
        // Asking for the time is dearer than a small transaction.
        if count & 0xFF == 0 {
          progress(finishedByteCount + Int(clamping: stream.openByteCount), total)
        }
      }
    }
  }

  private func take(
    _ copies: LogStream.Copies, _ stream: LogStream, _ body: (LogTransaction) throws -> Void
  ) throws {
    var times: [HybridTime] = []
    for cursor in copies {
      guard let header = cursor.transaction, filter.includes(header), !times.contains(header.time)
      else { continue }
      do {
        try body(LogTransaction(header, cursor, filter))
        if copies.count > 1 { times.append(header.time) }
      } catch {
        guard error is LogError || error is FileError else { throw error }
        stream.abandon(cursor, error)
      }
    }
  }
}
