/// How a store is opened.
public struct StoreOptions: Sendable {
  /// Which logical database this is; devices with the same one share it.
  public var contentName: String
  public var container: Container
  /// Below the container; `nil` is `tributary`.
  public var contentRoot: String?
  /// Run where they have not run yet. Empty where the container or the database brings the tables.
  public var schema: Schema
  /// What people call this device; `nil` is the name of the machine.
  public var peerName: String?
  /// Which tables are replicated; `nil` is all, or what the container says.
  public var tables: TableSelection?
  /// How tables merge, where it is not as usual; of those that it does not name the container says it.
  public var merge: MergeOptions?
  /// How writes are captured; `nil` is the hook, or for a store that is attached already, as before. With
  /// `triggers` any program may write the database.
  public var capture: CaptureMethod?
  /// Tables that are not replicated and whose rows, as they are when the store is attached, new devices get once.
  public var copyOnce: [String]?
  /// Full-text tables that programs fill, whose contents are to be shared: each through an ordinary table beside it,
  /// `words_shared` for `words`. It counts when the first device attaches.
  public var shareContents: [String] = []
  /// The files of SQLite extensions whose functions, collations, tokenizers and modules the database needs on this
  /// device; `nil` is as before. They run in this process.
  public var extensions: [String]?
  /// What a write waits for before it returns. A `PRAGMA synchronous` lasts until the end of the write that
  /// says it.
  public var synchronous = SynchronousMode.normal
  /// Whether a thread of the store publishes and imports by itself; otherwise `synchronize` does.
  public var synchronizesAutomatically = true
  /// Between looks at the container where changes cannot be seen, as on network mounts.
  public var pollInterval: Duration = .seconds(5)
  /// Files, time and randomness, for tests.
  public var environment = Environment()

  public init(
    contentName: String, container: Container, schema: Schema = [], contentRoot: String? = nil,
    peerName: String? = nil, tables: TableSelection? = nil, merge: MergeOptions? = nil
  ) {
    self.contentName = contentName
    self.container = container
    self.schema = schema
    self.contentRoot = contentRoot
    self.peerName = peerName
    self.tables = tables
    self.merge = merge
  }
}
