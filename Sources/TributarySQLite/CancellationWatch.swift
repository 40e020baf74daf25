import CSQLite

/// The callbacks that SQLite makes while a connection works for a call that may be cancelled.
final class CancellationWatch {
  private let cancellation: Cancellation
  /// How long the connection waits for a lock, also before and after this work.
  let milliseconds: Int32
  private var start = ContinuousClock.now

  init(_ cancellation: Cancellation, milliseconds: Int32) {
    self.cancellation = cancellation
    self.milliseconds = milliseconds
  }

  /// The pauses between attempts to take a lock, in milliseconds, as in SQLite itself.
  private static let pauses: [Int32] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  /// The number of virtual machine steps that SQLite takes before it calls again.
  private static let steps: Int32 = 1000

  func install(on handle: OpaquePointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      handle, Self.steps, { CancellationWatch.from($0).cancellation.isCancelled ? 1 : 0 }, context)
    sqlite3_busy_handler(handle, { CancellationWatch.from($0).pauses(before: $1) ? 1 : 0 }, context)
  }

  func remove(from handle: OpaquePointer) {
    sqlite3_progress_handler(handle, 0, nil, nil)
    sqlite3_busy_timeout(handle, milliseconds)
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> CancellationWatch {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  /// Waits before an attempt to take a lock.
  ///
  /// - Returns: whether to make the attempt.
  private func pauses(before attempt: Int32) -> Bool {
    if attempt == 0 { start = .now }
    let left = Int64(milliseconds) - Int64((ContinuousClock.now - start) / .milliseconds(1))
    guard left > 0, !cancellation.isCancelled else { return false }
    let pause = Self.pauses[min(Int(attempt), Self.pauses.count - 1)]
    sqlite3_sleep(Int32(min(Int64(pause), left)))
    return !cancellation.isCancelled
  }
}

extension Connection {
  /// Runs `body`, whose statements and waits for locks end with an error once they are cancelled.
  ///
  /// Sources: https://www.sqlite.org/c3ref/progress_handler.html, https://www.sqlite.org/c3ref/busy_handler.html
  package func heeding<Result>(
    _ cancellation: Cancellation?, _ body: () throws -> Result
  ) throws -> Result {
    guard let cancellation else { return try body() }
    let watch = CancellationWatch(
      cancellation, milliseconds: Int32(clamping: try integer("PRAGMA busy_timeout") ?? 0))
    watch.install(on: handle)
    defer {
      withExtendedLifetime(watch) { watch.remove(from: handle) }
    }
    return try body()
  }
}
