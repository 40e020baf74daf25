import Glibc
internal import TributarySQLite
internal import TributarySync

/// Writers of a store wait some seconds for each other. On a loaded machine one of them may wait in vain, and has
/// to try again, as any user would.
package enum Contention {
  /// What the command says to one who has waited in vain.
  package static let sayings = [
    "for some seconds", "more than 5 seconds", "another process is attaching it",
    "database is locked",
  ]

  /// Whether an error says that others had the store for too long.
  package static func isCause(of error: any Error) -> Bool {
    (error as? SQLiteError)?.isBusy == true || (error as? SyncError)?.code == .inUse
  }

  /// Whether each line of what a process has said is one of the sayings.
  package static func isAll(of text: String) -> Bool {
    text.split(separator: "\n").allSatisfy { line in sayings.contains { line.contains($0) } }
  }

  /// Does what may be refused while others write, as often as it takes.
  ///
  /// - Throws: what `body` throws for another reason; its last error when `patience` is over.
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

  /// Does in asynchronous code what `outwait` does.
  package static func outwaitAsynchronously<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let end = ContinuousClock.now + patience
    while true {
      do {
        return try await body()
      } catch let error where isCause(of: error) && ContinuousClock.now < end {
        // A pause between attempts, on whose length nothing depends.
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }
}
