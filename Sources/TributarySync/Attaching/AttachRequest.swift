public import TributaryStore

/// What `attach` is asked for.
public struct AttachRequest: Sendable {
  /// The path of the database.
  public var store: String
  /// The path of the shared directory.
  public var container: String
  public var contentName: String
  /// Below the container; `nil` is the standard one.
  public var contentRoot: String?
  /// The application's schema; empty where the database or the container brings it.
  public var migrations: [Migration] = []
  /// What people call this device; `nil` is the name of the machine.
  public var peerName: String?
  /// `nil` is all tables, or what the container says.
  public var tables: TableSelection?
  /// How tables merge; of those that it does not name the container says it.
  public var merge: MergeOptions?

  /// Tables that are not replicated and whose rows, as they are now, new devices get once; `nil` is as before.
  public var copyOnce: [String]?

  /// Full-text tables that programs fill, and whose contents are to be shared: each through an ordinary table beside
  /// it, `words_shared` for `words`, whose rows are known by their numbers.
  public var shareContents: [String] = []

  /// The files of SQLite extensions whose functions, collations, tokenizers and modules the database needs on this
  /// device; `nil` is as before.
  public var extensions: [String]?

  /// How writes are captured; `nil` is as before, and `defaultCapture` for a store that is attached now.
  public var capture: CaptureMethod?
  /// How writes to a store that is attached now are captured, unless something else is asked for.
  public var defaultCapture = CaptureMethod.hook

  /// How writes to a store that is attached now are captured.
  var captureWhenNew: CaptureMethod { capture ?? defaultCapture }

  public init(store: String, container: String, contentName: String) {
    self.store = store
    self.container = container
    self.contentName = contentName
  }
}
