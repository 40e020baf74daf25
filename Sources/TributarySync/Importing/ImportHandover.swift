import TributaryFiles

/// Has a batch written on a thread of its own, while the next one is being put together.
struct ImportHandover {
  private let work: Work
  private let thread: WorkerThread

  /// - Returns: `nil` when there is no thread to be had; nothing has happened then.
  init?(_ batch: ImportBatch, to writer: ImportWriter) {
    let work = Work(batch, writer)
    guard let thread = try? WorkerThread(name: "import", { work.run() }) else { return nil }
    self.work = work
    self.thread = thread
  }

  /// Waits until nobody writes any more.
  func wait() { thread.join() }

  /// Waits until it is written.
  ///
  /// - Throws: as `ImportWriter.commit`.
  func finish() throws -> SyncReport.Imported {
    thread.join()
    guard let result = work.result else { preconditionFailure("the thread ended without a result") }
    return try result.get()
  }

  /// Sendable although unchecked: from the start of the thread to its end nobody else touches what
  /// is in it.
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
