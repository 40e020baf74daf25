import Foundation
import Synchronization
import TributaryKeyValue
import TributarySync

/// Those who listen to what happens in a key-value store.
final class KeyValueAnnouncements: Sendable {
  private struct Sender {
    weak var store: KeyValueStore?
  }

  let changes = Broadcast<KeyValueChange>()
  let reports = Broadcast<SyncReport>()
  private let sender = Mutex(Sender())
  /// Posts notifications one after another. No lock is held during posting.
  private let queue = DispatchQueue(label: "tributary-post")

  /// Sets the object of the notifications.
  func begin(for store: KeyValueStore) { sender.withLock { $0.store = store } }

  func send(_ change: KeyValueChange) {
    changes.send(change)
    queue.async { [self] in
      guard let store = sender.withLock({ $0.store }) else { return }
      NotificationCenter.default.post(
        name: .keyValueStoreDidChangeExternally, object: store, userInfo: change.userInfo)
    }
  }

  func end() {
    sender.withLock { $0.store = nil }
    changes.end()
    reports.end()
  }
}
