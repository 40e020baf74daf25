import TributaryFiles

/// Writes a batch on a separate thread while the next one is put together.
struct ImportHandover {
  private let work: Work
  private let thread: WorkerThread

  /// Starts writing.
  ///
  /// - Returns: `nil` if no thread can be started; nothing has happened then.
  init?(_ batch: ImportBatch, to writer: ImportWriter) {
    let work = Work(batch, writer)
    guard let thread = try? WorkerThread(name: "import", { work.run() }) else { return nil }
    self.work = work
    self.thread = thread
  }

  /// Waits until the thread has ended.
  func wait() { thread.join() }

  /// Waits until the batch is written.
  ///
  /// - Throws: what `ImportWriter.commit` throws.
  func finish() throws -> SyncReport.Imported {
    thread.join()
    guard let result = work.result else { preconditionFailure("the thread ended without a result") }
    return try result.get()
  }

  /// Sendable although unchecked: from the start of the thread to its end, nobody else accesses its
  /// contents.
  private final class Work: @unchecked Sendable {
    private let batch: ImportBatch
    private let writer: ImportWriter
    private(set) var result: Result<SyncReport.Imported, any Error>?

    init(_ batch: ImportBatch, _ writer: ImportWriter) {
      self.batch = batch
      self.writer = writer
    }

    func run() { result = Result { try writer.commit(batch) } }
  }
}
