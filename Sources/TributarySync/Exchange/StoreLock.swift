import TributaryFiles
import TributarySQLite

/// Prevents two processes from doing things with a store at the same time where one would undo the other's
/// work.
///
/// The lock is on a file beside the store, which is removed afterwards. The system releases the lock when the
/// process dies.
final class StoreLock {
  private var lock: FileLock?

  /// What must not be done twice at once.
  enum Purpose: String {
    case attaching
    case baseline = "baseline-lock"
    case returning = "return-lock"

    fileprivate var phrase: String {
      switch self {
      case .attaching: "attaching it"
      case .baseline: "writing a baseline of it"
      case .returning: "having it come back"
      }
    }
  }

  /// The time that writers wait for each other.
  private static let limit = Duration.seconds(5)

  /// Waits for the lock.
  ///
  /// - Parameter cancellation: ends the wait; `nil` if nothing can.
  /// - Throws: `SyncError` with the code `inUse` if another process held the lock for too long, or until the
  ///   wait was cancelled.
  init(
    _ store: String, for purpose: Purpose, heeding cancellation: Cancellation? = nil
  ) throws(SyncError) {
    let isFree: Bool
    do {
      lock = try FileLock.makeAndTake(
        Self.path(store, purpose), within: Self.limit,
        unless: { cancellation?.isCancelled ?? false })
      isFree = lock != nil
    } catch {
      // If this file cannot be created, nothing else can be created there either, and the attempt itself
      // reports why.
      isFree = true
    }
    guard isFree else {
      throw SyncError(
        .inUse, "another process is \(purpose.phrase)", path: store,
        remedy: "wait until it is done, then try again")
    }
  }

  /// Takes the lock if it is free.
  ///
  /// - Returns: `nil` if another process, or another user of the store in this one, has it, or if the lock cannot be
  ///   made.
  init?(ifFree store: String, for purpose: Purpose) {
    do {
      lock = try FileLock.makeAndTake(Self.path(store, purpose), within: .zero)
    } catch { return nil }
    if lock == nil { return nil }
  }

  private static func path(_ store: String, _ purpose: Purpose) -> String {
    store + "-tributary-" + purpose.rawValue
  }

  func release() { lock.take()?.removeAndRelease() }
}
