import Glibc
internal import TributarySQLite
internal import TributarySync
internal import TributaryTesting

/// Writers of a store wait some seconds for each other. On a loaded machine, one of them may wait in vain and
/// must try again, as any user would.
package enum Contention {
  /// What the command prints after waiting in vain.
  package static let sayings = [
    "for some seconds", "more than 5 seconds", "another process is attaching it",
    "database is locked",
  ]

  /// Whether an error says that others have used the store for too long.
  package static func isCause(of error: any Error) -> Bool {
    (error as? SQLiteError)?.isBusy == true || (error as? SyncError)?.code == .inUse
  }

  /// Whether each line that a process has printed is one of `sayings`.
  package static func isAll(of text: String) -> Bool {
    text.split(separator: "\n").allSatisfy { line in sayings.contains { line.contains($0) } }
  }

  /// Repeats an operation that may be refused while others write, until it succeeds.
  ///
  /// - Throws: what `body` throws for another reason; its last error once `patience` is over.
  package static func outwait<Result>(_ body: () throws -> Result) throws -> Result {
    let end = ContinuousClock.now + patience
    while true {
      do {
        return try body()
      } catch let error where isCause(of: error) && ContinuousClock.now < end {
        usleep(2000)
      }
    }
  }

  /// Does the same as `outwait` in asynchronous code.
  package static func outwaitAsynchronously<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let end = ContinuousClock.now + patience
    while true {
      do {
        return try await body()
      } catch let error where isCause(of: error) && ContinuousClock.now < end {
        // A pause between attempts; nothing depends on its length.
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }
}
