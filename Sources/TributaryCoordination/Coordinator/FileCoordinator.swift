internal import FoundationEssentials
internal import Synchronization
internal import TributaryFiles

/// Coordinates reading and writing of files and directories with all threads and processes of this user on this
/// machine, and with file presenters.
///
/// An item has many readers or one writer. The writer of a directory excludes all others from what is below it;
/// a package (a directory with a `DocumentMetadata.plist`) is one item with all that it contains. First come,
/// first served: neither readers nor writers can keep others waiting for ever. The access of a process that ends,
/// however it does, ends with it.
///
/// Each method waits for its turn and for the presenters of the items, runs the accessor, and tells presenters
/// what has changed. In asynchronous code, an accessor without `await` runs on a thread of its own, and one with
/// `await` in the calling task. In other code, the calling thread waits. The accessor gets the URLs at which the
/// items are: those that were given, unless the items have moved meanwhile.
///
/// Accesses within an accessor should use the same coordinator: they never wait for the one around them. With
/// another coordinator, an access that would wait for ever throws `CoordinationError` with the code `deadlock`.
///
/// Coordination is advisory: nothing keeps a program from opening a file without a coordinator.
public final class FileCoordinator: Sendable {
  /// The presenter on whose behalf items are used, and which is not told of it.
  public let filePresenter: (any FilePresenter)?
  /// What the accesses are for. Accesses within others do not wait for those of the same purpose.
  public let purposeIdentifier: String
  /// How long an access waits for the answers of presenters. Then it goes on without them.
  public let presenterTimeLimit: Duration

  package let domain: CoordinationDomain
  /// The calls that wait.
  let requests = Mutex<[ObjectIdentifier: AccessRequest]>([:])
  /// The items that accesses under way have moved, by their old paths.
  let moved = Mutex<Set<String>>([])

  /// Makes a coordinator.
  ///
  /// - Parameters:
  ///   - filePresenter: a presenter that was added, if the items are used on its behalf.
  ///   - purposeIdentifier: unique for each coordinator by default.
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

  /// Has all calls of this coordinator that still wait throw `CancellationError`. Accessors that run go on.
  public func cancel() {
    for request in requests.withLock({ Array($0.values) }) { request.cancel() }
  }
}
