public import Foundation

extension Notification.Name {
  /// Posted after each import, by this process or another, in order and one at a time. The object is the
  /// `Store`. Imports made by `synchronizeNow` are posted on the calling thread before the call returns,
  /// unless another notification is being posted at that moment. All others are posted on a dedicated thread.
  ///
  /// A handler may call any method of the store, including `close` and `synchronizeNow`. Nothing is posted
  /// after `close`.
  ///
  /// `userInfo` has the `ImportChange` under `ImportNotificationKey.change`; dictionaries from table to keys,
  /// each key an array of `Value`, under `inserted`, `updated` and `deleted`; the identities of the peers
  /// under `peers`; and the array of new conflicts under `conflicts`.
  public static let didImportUbiquitousContentChanges = Notification.Name(
    "TributaryDidImportUbiquitousContentChanges")
}

/// The keys of `userInfo` in `didImportUbiquitousContentChanges`.
public enum ImportNotificationKey {
  /// The whole `ImportChange`.
  public static let change = "change"
  /// The keys of the inserted rows, by table.
  public static let inserted = "inserted"
  /// The keys of the updated rows, by table.
  public static let updated = "updated"
  /// The keys of the deleted rows, by table.
  public static let deleted = "deleted"
  /// The stores that wrote what was imported.
  public static let peers = "peers"
  /// The new conflicts.
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
    // Table names that `String` considers equal share an entry.
    Dictionary(
      tables.map { ($0.key.text, $0.value[keyPath: list].keys) }.filter { !$0.1.isEmpty },
      uniquingKeysWith: +)
  }
}
