internal import TributaryCore
package import TributaryFiles
internal import TributaryLog
package import TributaryReplay

/// Iterates over the requested transactions of logs in order of their stamps, each once. If segments overlap,
/// another copy stands in for one that cannot be read. Both of two transactions under one sequence, a fork,
/// are passed on.
package struct LogWalk {
  private let segments: [LogSegment]
  private let filter: TransactionFilter
  private let fileSystem: any FileSystem
  private let progress: (_ done: Int, _ total: Int) -> Void

  /// Prepares the walk.
  ///
  /// - Parameter progress: called periodically with numbers of bytes.
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

  /// Walks through the transactions.
  ///
  /// - Parameter report: called for each case of damage; everything else continues.
  /// - Parameter body: reads the changes that it needs, and rethrows their errors. It may then be
  ///   called again with another copy of the transaction.
  /// - Throws: what the body throws, except for `LogError` and `FileError`.
  package func run(
    report: (LogFinding) -> Void, _ body: (LogTransaction) throws -> Void
  ) throws {
    let total = segments.reduce(0) { $0 + Int(clamping: $1.size) }
    var count = 0
    try withoutActuallyEscaping(report) { report in
      let logs = LogStream(segments, using: fileSystem, report: report)
      while let stream = logs.next() {
        try take(stream, body)
        count += 1
        // Asking for the time costs more than a small transaction.
        if count & 0xFF == 0 { progress(Int(clamping: logs.byteCount), total) }
      }
    }
  }

  private func take(
    _ stream: SegmentStream, _ body: (LogTransaction) throws -> Void
  ) throws {
    let copies = stream.copies
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
