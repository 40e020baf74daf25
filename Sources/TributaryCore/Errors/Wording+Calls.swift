extension Wording {
  /// Commands without the word `tributary`, and the calls that do the same; longer ones first.
  static let calls: [(command: String, call: String, takesMore: Bool)] = [
    ("attach --load-extension", "StoreOptions.extensions", false),
    ("attach STORE … --load-extension FILE", "StoreOptions.extensions", false),
    ("attach", "Store.open(at:options:)", false),
    ("baseline", "store.writeBaseline()", false),
    ("conflicts list", "store.conflicts()", false),
    ("container enable", "Containers.enable(_:)", true),
    ("container list", "Containers.list()", false),
    ("detach --remove-logs", "store.detach(removingLogs: true)", false),
    ("detach", "store.detach()", false),
    ("doctor", "store.diagnose()", false),
    ("document create", "ManagedDocument.create(at:contents:options:)", false),
    ("document list", "ManagedDocument.list(_:options:)", false),
    ("kv attach", "KeyValueStore.open(at:options:)", false),
    ("peers list", "store.peers()", false),
    ("peers retire", "store.retire(_:)", false),
    ("rebuild", "Store.rebuild(at:)", false),
    ("status", "store.status()", false),
    ("sync", "store.synchronize()", false),
    ("verify", "store.verify()", false),
  ]

  /// Options of `tributary attach`, and what they are called in `StoreOptions` and its types; longer ones
  /// first.
  static let options: [(option: String, property: String)] = [
    ("--capture triggers", "capture: .triggers"),
    ("--copy-once", "copyOnce"),
    ("--except", "tables: .except"),
    ("--foreign-keys keep", "foreignKeys: .keep"),
    ("--foreign-keys", "foreignKeys"),
    ("--identify", "identifyingColumns"),
    ("--load-extension", "extensions"),
    ("--leave-unpublished", "leavingUnpublished: true"),
    ("--positive-numbers", "hasPositiveNumbers"),
    ("--remove-logs", "removingLogs"),
    ("--rowid-key", "knownBy: .rowIdentifier"),
    ("--schema", "schema"),
    ("--share-contents", "shareContents"),
    ("--space-limit", "spaceLimit"),
    ("--tables", "tables: .only"),
  ]
}
