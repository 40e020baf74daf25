public import FoundationEssentials

/// An object that shows a file or directory to its user, or relies on it in another way. Coordinators notify
/// it of what others do with the item.
///
/// After `FileCoordinator.addFilePresenter(_:)`, the methods are called one at a time, in order, for accesses
/// of this process and of others. They are not called for accesses by a coordinator that was made with this
/// presenter. A method that takes longer than the coordinator waits (`presenterTimeLimit`) does not keep
/// others from the item.
///
/// To write the item while relinquishing it, a presenter uses a coordinator that was made with the presenter
/// itself.
public protocol FilePresenter: AnyObject, Sendable {
  /// Lets the presenter use the item again.
  typealias Reacquirer = @Sendable () async -> Void

  /// The file or directory. It is read once, when the presenter is added; moves are followed.
  var presentedItemURL: URL? { get }

  /// Called when someone wants to read the item.
  ///
  /// - Returns: a function to call when they have finished; `nil` for none.
  func relinquishPresentedItemToReader() async -> Reacquirer?
  /// Called when someone wants to write the item.
  ///
  /// - Returns: a function to call when they have finished; `nil` for none.
  func relinquishPresentedItemToWriter() async -> Reacquirer?
  /// Called when changes that only this presenter knows must be saved to the file. If it throws, the access
  /// fails.
  func savePresentedItemChanges() async throws
  /// Called when someone is about to delete the item, or to replace it with another one. If it throws, the
  /// access fails.
  func accommodatePresentedItemDeletion() async throws
  /// Called when someone is about to delete an item below the presented directory. If it throws, the access
  /// fails.
  func accommodatePresentedSubitemDeletion(at url: URL) async throws

  /// Called when someone has written the item, or one that contains it.
  func presentedItemDidChange() async
  /// Called when the item, or one that contains it, has moved.
  func presentedItemDidMove(to newURL: URL) async
  /// Called when a new item has appeared below the presented directory.
  func presentedSubitemDidAppear(at url: URL) async
  /// Called when someone has written or removed an item below the presented directory.
  func presentedSubitemDidChange(at url: URL) async
  /// Called when an item below the presented directory has moved, perhaps out of it.
  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async

  /// Called when the item has another version, such as a conflicting one from another device.
  func presentedItemDidGainVersion(at version: URL) async
  /// Called when a version of the item is gone.
  func presentedItemDidLoseVersion(at version: URL) async
  /// Called when a conflicting version of the item was resolved.
  func presentedItemDidResolveConflictVersion(at version: URL) async
  /// Called when an item below the presented directory has another version.
  func presentedSubitem(at url: URL, didGainVersionAt version: URL) async
  /// Called when a version of an item below the presented directory is gone.
  func presentedSubitem(at url: URL, didLoseVersionAt version: URL) async
  /// Called when a conflicting version of an item below the presented directory was resolved.
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
