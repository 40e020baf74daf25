public import FoundationEssentials

/// An object that shows a file or directory to its user, or relies on it in another way. Coordinators tell it what
/// others do with it.
///
/// After `FileCoordinator.addFilePresenter(_:)`, the methods are called one at a time, in order, for accesses of
/// this process and of others. They are not called for what is done with a coordinator that was made with this
/// presenter. A method that takes longer than the coordinator waits (`presenterTimeLimit`) does not keep others
/// from the item.
///
/// To write the item while it relinquishes it, a presenter uses a coordinator that was made with itself.
public protocol FilePresenter: AnyObject, Sendable {
  /// Has the presenter use the item again.
  typealias Reacquirer = @Sendable () async -> Void

  /// The file or directory. It is asked for once, when the presenter is added; moves are followed.
  var presentedItemURL: URL? { get }

  /// Somebody wants to read the item.
  ///
  /// - Returns: what is called when they have finished; `nil` for nothing.
  func relinquishPresentedItemToReader() async -> Reacquirer?
  /// Somebody wants to write the item.
  ///
  /// - Returns: what is called when they have finished; `nil` for nothing.
  func relinquishPresentedItemToWriter() async -> Reacquirer?
  /// Changes that only this presenter knows are wanted in the file. If it throws, the access fails.
  func savePresentedItemChanges() async throws
  /// Somebody is about to delete the item, or to put another one in its place. If it throws, the access fails.
  func accommodatePresentedItemDeletion() async throws
  /// Somebody is about to delete an item below the presented directory. If it throws, the access fails.
  func accommodatePresentedSubitemDeletion(at url: URL) async throws

  /// Somebody has written the item, or one that contains it.
  func presentedItemDidChange() async
  /// The item, or one that contains it, has moved.
  func presentedItemDidMove(to newURL: URL) async
  /// There is an item below the presented directory that was not there before.
  func presentedSubitemDidAppear(at url: URL) async
  /// Somebody has written or removed an item below the presented directory.
  func presentedSubitemDidChange(at url: URL) async
  /// An item below the presented directory has moved, perhaps out of it.
  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async

  /// The item has another version, such as one of another device that conflicts with it.
  func presentedItemDidGainVersion(at version: URL) async
  /// A version of the item is gone.
  func presentedItemDidLoseVersion(at version: URL) async
  /// A conflicting version of the item was resolved.
  func presentedItemDidResolveConflictVersion(at version: URL) async
  /// An item below the presented directory has another version.
  func presentedSubitem(at url: URL, didGainVersionAt version: URL) async
  /// A version of an item below the presented directory is gone.
  func presentedSubitem(at url: URL, didLoseVersionAt version: URL) async
  /// A conflicting version of an item below the presented directory was resolved.
  func presentedSubitem(at url: URL, didResolveConflictVersionAt version: URL) async
}

// Each presenter implements what it needs.
extension FilePresenter {
  public func relinquishPresentedItemToReader() async -> Reacquirer? { nil }
  public func relinquishPresentedItemToWriter() async -> Reacquirer? { nil }
  public func savePresentedItemChanges() async throws {}
  public func accommodatePresentedItemDeletion() async throws {}
  public func accommodatePresentedSubitemDeletion(at url: URL) async throws {}
  public func presentedItemDidChange() async {}
  public func presentedItemDidMove(to newURL: URL) async {}
  public func presentedSubitemDidAppear(at url: URL) async {}
  public func presentedSubitemDidChange(at url: URL) async {}
  public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {}
  public func presentedItemDidGainVersion(at version: URL) async {}
  public func presentedItemDidLoseVersion(at version: URL) async {}
  public func presentedItemDidResolveConflictVersion(at version: URL) async {}
  public func presentedSubitem(at url: URL, didGainVersionAt version: URL) async {}
  public func presentedSubitem(at url: URL, didLoseVersionAt version: URL) async {}
  public func presentedSubitem(at url: URL, didResolveConflictVersionAt version: URL) async {}
}
