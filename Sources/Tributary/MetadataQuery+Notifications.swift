public import Foundation
public import TributaryCoordination

extension Notification.Name {
  /// Posted when a `MetadataQuery`, which is the object, has gathered all items.
  public static let metadataQueryDidFinishGathering = Notification.Name(
    "TributaryMetadataQueryDidFinishGathering")

  /// Posted when the results of a `MetadataQuery`, which is the object, have changed. `userInfo` has the
  /// `MetadataUpdate` under `MetadataQueryNotificationKey.update`.
  public static let metadataQueryDidUpdate = Notification.Name("TributaryMetadataQueryDidUpdate")

  /// Posted once for each directory that a `MetadataQuery`, which is the object, cannot read. `userInfo` has
  /// the `CoordinationError` under `MetadataQueryNotificationKey.error`.
  public static let metadataQueryDidFail = Notification.Name("TributaryMetadataQueryDidFail")
}

/// The keys of `userInfo` in the notifications of a `MetadataQuery`.
public enum MetadataQueryNotificationKey {
  /// What has changed, a `MetadataUpdate`.
  public static let update = "update"
  /// Why a directory cannot be searched, a `CoordinationError`.
  public static let error = "error"
}

extension MetadataQuery {
  /// Starts gathering, and posts what the query reports until it is stopped. Notifications are posted one at a time, on
  /// threads where handlers may block.
  ///
  /// - Throws: what `start()` throws.
  public func start(postingTo center: NotificationCenter) throws {
    let events = events
    try start()
    // Weak: a query that nothing else refers to ends.
    let post = Posting(query: self, center: center)
    Task.detached {
      for await event in events {
        do {
          try await Blocking.run { post(event) }
        } catch {
          // The system cannot make a thread.
          post(event)
        }
      }
    }
  }
}

/// Posts the events of a query.
///
/// The unchecked Sendable conformance is safe: a notification center may be used from any thread, and the
/// query is Sendable. The reference to it is weak and is only read.
private struct Posting: @unchecked Sendable {
  weak var query: MetadataQuery?
  let center: NotificationCenter

  func callAsFunction(_ event: MetadataQueryEvent) {
    guard let query else { return }
    switch event {
    case .didFinishGathering: center.post(name: .metadataQueryDidFinishGathering, object: query)
    case .didUpdate(let update):
      center.post(
        name: .metadataQueryDidUpdate, object: query,
        userInfo: [MetadataQueryNotificationKey.update: update])
    case .didFail(let error):
      center.post(
        name: .metadataQueryDidFail, object: query,
        userInfo: [MetadataQueryNotificationKey.error: error])
    }
  }
}
