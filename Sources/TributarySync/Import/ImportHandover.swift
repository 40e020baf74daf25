import TributaryFiles
import TributaryMerge

/// Writes batches on a separate thread, one at a time, while the next one is put together.
///
/// While a batch is being written, the store's connection belongs to the writer.
final class ImportHandover {
  private let writer: ImportWriter
  /// The batch that is being written.
  private var current: (work: Work, thread: WorkerThread)?
  /// A batch that has been written and can be filled again.
  private var spare: ImportBatch?

  init(to writer: ImportWriter) { self.writer = writer }

  /// Starts writing a batch.
  ///
  /// - Returns: the batch to fill meanwhile; `nil` if no thread can be started. Nothing has happened then.
  /// - Precondition: no other batch is being written.
  func begin(_ batch: ImportBatch) throws -> ImportBatch? {
    let next = try spare ?? ImportBatch(takingTurnsWith: batch)
    let work = Work(batch, writer)
    guard let thread = try? WorkerThread(name: "import", { work.run() }) else { return nil }
    current = (work, thread)
    spare = nil
    return next
  }

  /// Waits until the connection is free. `finish` still has to take the result.
  func wait() { current?.thread.join() }

  /// Waits until the batch is written.
  ///
  /// - Returns: what the batch has imported; `nil` if none was being written.
  /// - Throws: what `ImportWriter.commit` throws.
  func finish() throws -> SyncReport.Imported? {
    guard let (work, thread) = current else { return nil }
    current = nil
    thread.join()
    guard let result = work.result else { preconditionFailure("the thread ended without a result") }
    let imported = try result.get()
    spare = work.batch
    return imported
  }

  /// Unchecked but safe to send: no other thread accesses its contents between the start and the end of its
  /// thread.
  private final class Work: @unchecked Sendable {
    let batch: ImportBatch
    private let writer: ImportWriter
    private(set) var result: Result<SyncReport.Imported, any Error>?

    init(_ batch: ImportBatch, _ writer: ImportWriter) {
      self.batch = batch
      self.writer = writer
    }

    func run() { result = Result { try writer.commit(batch) } }
  }
}
