public import TributaryCore
public import TributarySQLite
public import TributarySync

/// The options for opening a store.
public struct StoreOptions: Sendable {
  /// The name of the logical database. Devices that use the same name share it.
  public var contentName: String
  /// The shared directory through which the stores exchange their logs.
  public var container: Container
  /// The directory below the container; `nil` means `tributary`.
  public var contentRoot: String?
  /// The migrations to run if they have not run yet. Empty if the container or the database
  /// provides the tables.
  public var schema: Schema
  /// A name by which people recognise this device; `nil` means the name of the machine.
  public var peerName: String?
  /// The tables that are replicated; `nil` means all, or what the container says.
  public var tables: TableSelection?
  /// How tables merge, where it differs from the default. The container decides for tables that are not named
  /// here.
  public var merge: MergeOptions?
  /// How writes are captured; `nil` means the hook or, if the store is already attached, its current method.
  /// With `triggers`, any program may write to the database.
  public var capture: CaptureMethod?
  /// Tables that are not replicated, but whose rows a new device gets once, as they are when the store is
  /// attached.
  public var copyOnce: [String]?
  /// Full-text tables that programs fill and whose contents are to be shared, each through an ordinary table
  /// beside it: `words_shared` for `words`. The first device to attach decides.
  public var shareContents: [String] = []
  /// The files of the SQLite extensions whose functions, collations, tokenizers and modules the database
  /// needs on this device; `nil` leaves them unchanged. They run in this process.
  public var extensions: [String]?
  /// The number of bytes that this store's own segments, baselines and records may take before it compacts
  /// earlier and warns. Zero removes the limit, and `nil` leaves it unchanged. The limit never causes
  /// anything to be refused or removed.
  public var spaceLimit: UInt64?
  /// Whether the store adds on its own what the schemas of other devices add (tables, columns, indexes,
  /// triggers and views) when an import needs it. The value applies from each opening on.
  public var followsSchema = false
  /// What a write waits for before it returns. A `PRAGMA synchronous` within a write lasts until that write
  /// ends.
  public var synchronous = SynchronousMode.normal
  /// Whether a thread of the store publishes and imports automatically. Otherwise, call
  /// `synchronize`.
  public var synchronizesAutomatically = true
  /// The interval for checking the container where changes cannot be observed, as on network
  /// mounts.
  public var pollInterval: Duration = .seconds(5)
  /// Prepares each connection to the database, including those that import and rebuild: makes functions and
  /// collations, loads extensions and sets pragmas. It applies to all stores that this process opens on the
  /// same file from then on, however the path is spelled; `nil` leaves it unchanged.
  ///
  /// Functions and other things that the schema itself uses must be available on every device, and in every
  /// program that opens the database.
  public var prepare: (@Sendable (borrowing ConnectionSetup) throws -> Void)?
  /// Called with each statement that the application uses to read or write, and with the `BEGIN`, `COMMIT`
  /// and `ROLLBACK` around them, after the statement has run, on its thread. It must not use the store. Like
  /// `prepare`, it applies to the file; `nil` leaves it unchanged.
  public var trace: (@Sendable (StatementTrace) -> Void)?
  /// Called with what the store does and what goes wrong, on any thread. It must not wait for the store.
  public var log: (@Sendable (LogEvent) -> Void)?
  /// Called during a long opening: while a missing store is rebuilt from the logs (`importing`, in
  /// transactions, and `reading a baseline`, in bytes), while the rows of a database are adopted (`adopting`,
  /// in rows), and before each migration (`migrating`). If it throws, or the task is cancelled, opening
  /// stops, even in the middle of a statement of a migration, and nothing has been made. If the store existed
  /// already, the migrations that have finished stay; the one that was running has left nothing.
  public var progress: (@Sendable (Progress) throws -> Void)?
  /// The file system, clock and randomness; replaced in tests.
  public var environment = StoreEnvironment()

  /// Makes options with defaults for everything else.
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
