public import Foundation

extension Notification.Name {
  /// Posted after each import, of this process or another one, in their order and one at a time; the
  /// object is the `Store`. What `synchronizeNow` imports is posted on the thread that called it, before
  /// it returns, unless another is being posted at the time; all else on a thread that does nothing else.
  ///
  /// A handler may call anything of the store, also `close` and `synchronizeNow`. After `close` nothing
  /// is posted.
  ///
  /// In `userInfo`: under `ImportNotificationKey.change` the `ImportChange`; under `inserted`,
  /// `updated` and `deleted` dictionaries from table to keys, each key an array of `Value`; under
  /// `peers` the identities; under `conflicts` the array of new ones.
  public static let didImportUbiquitousContentChanges = Notification.Name(
    "TributaryDidImportUbiquitousContentChanges")
}

/// The keys of `userInfo` in `didImportUbiquitousContentChanges`.
public enum ImportNotificationKey {
  public static let change = "change"
  public static let inserted = "inserted"
  public static let updated = "updated"
  public static let deleted = "deleted"
  public static let peers = "peers"
  public static let conflicts = "conflicts"
}

extension ImportChange {
  package var userInfo: [String: Any] {
    [
      ImportNotificationKey.change: self,
      ImportNotificationKey.inserted: keys(\.inserted),
      ImportNotificationKey.updated: keys(\.updated),
      ImportNotificationKey.deleted: keys(\.deleted),
      ImportNotificationKey.peers: peers.map(\.peer),
      ImportNotificationKey.conflicts: conflicts,
    ]
  }

  private func keys(_ list: KeyPath<TableChanges, KeyList>) -> [String: [[Value]]] {
    // Spellings of a name that `String` takes for one share an entry.
    Dictionary(
      tables.map { ($0.key.text, $0.value[keyPath: list].keys) }.filter { !$0.1.isEmpty },
      uniquingKeysWith: +)
  }
}
