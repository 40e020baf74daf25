internal import FoundationEssentials
internal import Synchronization
internal import TributaryFiles

/// Coordinates reading and writing of files and directories with all threads and processes of this user on this
/// machine, and with file presenters.
///
/// An item has many readers or one writer. The writer of a directory excludes all others from what is below
/// it. A package (a directory with a `DocumentMetadata.plist`) is one item with everything that it contains.
/// First come, first served: neither readers nor writers can keep others waiting forever. When a process
/// ends, in whatever way, its accesses end.
///
/// Each method waits for its turn and for the presenters of the items, runs the accessor, and notifies
/// presenters of what has changed. In asynchronous code, an accessor without `await` runs on a separate
/// thread, and an accessor with `await` in the calling task. In other code, the calling thread waits. The
/// accessor gets the current URLs of the items: those that were given, unless the items have moved meanwhile.
///
/// Accesses within an accessor should use the same coordinator: then they never wait for the enclosing
/// access. With another coordinator, an access that would wait forever throws `CoordinationError` with the
/// code `deadlock`.
///
/// Coordination is advisory: nothing keeps a program from opening a file without a coordinator.
public final class FileCoordinator: Sendable {
  /// The presenter on whose behalf items are used. It is not notified of these uses.
  public let filePresenter: (any FilePresenter)?
  /// What the accesses are for. Accesses within others do not wait for accesses with the same purpose.
  public let purposeIdentifier: String
  /// How long an access waits for the answers of presenters before it continues without them.
  public let presenterTimeLimit: Duration

  package let domain: CoordinationDomain
  /// The waiting calls.
  let requests = Mutex<[ObjectIdentifier: AccessRequest]>([:])
  /// The items that accesses in progress have moved, by their old paths.
  let moved = Mutex<Set<String>>([])

  /// Makes a coordinator.
  ///
  /// - Parameters:
  ///   - filePresenter: a presenter that was added, if the items are used on its behalf.
  ///   - purposeIdentifier: the purpose; unique for each coordinator by default.
  ///   - presenterTimeLimit: how long presenters may take to answer.
  public convenience init(
    filePresenter: (any FilePresenter)? = nil, purposeIdentifier: String? = nil,
    presenterTimeLimit: Duration = .seconds(10)
  ) {
    self.init(
      filePresenter: filePresenter, purposeIdentifier: purposeIdentifier,
      presenterTimeLimit: presenterTimeLimit, domain: .user)
  }

  package init(
    filePresenter: (any FilePresenter)? = nil, purposeIdentifier: String? = nil,
    presenterTimeLimit: Duration = .seconds(10), domain: CoordinationDomain
  ) {
    self.filePresenter = filePresenter
    self.purposeIdentifier = purposeIdentifier ?? UUID().uuidString
    self.presenterTimeLimit = presenterTimeLimit
    self.domain = domain
  }

  /// Makes all calls of this coordinator that are still waiting throw `CancellationError`. Running accessors
  /// continue.
  public func cancel() {
    for request in requests.withLock({ Array($0.values) }) { request.cancel() }
  }
}
