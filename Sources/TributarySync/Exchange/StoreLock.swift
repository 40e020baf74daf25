import TributaryFiles
import TributarySQLite

/// Prevents two processes from doing something with a store at the same time that one of them would undo.
///
/// It is a lock on a file beside the store that is removed afterwards; the system releases it when
/// a process dies.
final class StoreLock {
  private var lock: FileLock?

  /// What must not happen twice at once.
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

  /// As long as writers wait for each other.
  private static let limit = Duration.seconds(5)

  /// Waits for the lock.
  ///
  /// - Parameter cancellation: ends waiting; `nil` if nobody can.
  /// - Throws: `SyncError` with the code `inUse` if another process held it for too long, or until waiting was ended.
  init(
    _ store: String, for purpose: Purpose, heeding cancellation: Cancellation? = nil
  ) throws(SyncError) {
    let isFree: Bool
    do {
      lock = try FileLock.makeAndTake(
        store + "-tributary-" + purpose.rawValue, within: Self.limit,
        unless: { cancellation?.isCancelled ?? false })
      isFree = lock != nil
    } catch {
      // If no file can be made, nothing else can be made there either, and the attempt itself will say why.
      isFree = true
    }
    guard isFree else {
      throw SyncError(
        .inUse, "another process is \(purpose.phrase)", path: store,
        remedy: "wait until that one is done, then try again")
    }
  }

  func release() { lock.take()?.removeAndRelease() }
}
