import TributaryCore
import TributarySQLite
import TributaryStore

/// A request to attach a store.
package struct AttachRequest: Sendable {
  /// The path of the database.
  package var store: String
  /// The path of the shared directory.
  package var container: String
  package var contentName: String
  /// The directory below the container; `nil` means the standard one.
  package var contentRoot: String?
  /// The application's schema; empty if the database or the container provides it.
  package var migrations: [Migration] = []
  /// A human-readable name for this device; `nil` means the name of the machine.
  package var peerName: String?
  /// The replicated tables; `nil` means all, or those that the container specifies.
  package var tables: TableSelection?
  /// How tables merge. The container decides for tables that are not named here.
  package var merge: MergeOptions?

  /// Tables that are not replicated, but whose rows new devices get once, as they are now; `nil` leaves them
  /// unchanged.
  package var copyOnce: [String]?

  /// Full-text tables that programs fill and whose contents are to be shared, each through an ordinary table
  /// beside it: `words_shared` for `words`. Numbers identify the rows of that table.
  package var shareContents: [String] = []

  /// The files of the SQLite extensions whose functions, collations, tokenizers and modules the database
  /// needs on this device; `nil` leaves them unchanged.
  package var extensions: [String]?

  /// How many bytes this store's own segments, baselines and outbox may take before the store compacts
  /// earlier and warns. Zero removes the limit, and `nil` leaves it unchanged. The limit never causes
  /// anything to be refused or removed.
  package var spaceLimit: UInt64?

  /// How writes are captured; `nil` leaves it unchanged and, for a store that is attached now, means
  /// `defaultCapture`.
  package var capture: CaptureMethod?
  /// How writes are captured if nothing else is requested and the store is attached now.
  package var defaultCapture = CaptureMethod.hook

  /// Whether the store automatically takes what the schemas of other devices add; `nil` leaves it unchanged.
  package var followsSchema: Bool?
  /// Whether it does so if nothing else is requested and the store is attached now.
  package var followsSchemaByDefault = false

  /// Cancels attaching until the store is made, and after that before each further migration; `nil` if
  /// nothing can cancel it.
  package var cancellation: Cancellation?

  /// How writes are captured if the store is attached now.
  var captureWhenNew: CaptureMethod { capture ?? defaultCapture }
  /// Whether a new store takes what the schemas of others add.
  var followsWhenNew: Bool { followsSchema ?? followsSchemaByDefault }

  package init(store: String, container: String, contentName: String) {
    self.store = store
    self.container = container
    self.contentName = contentName
  }
}

extension AttachRequest {
  /// Returns what accompanies the work that the request causes.
  func work(_ progress: ((Progress) throws -> Void)?) -> LongWork {
    LongWork(
      cancellation: cancellation,
      tell: progress.map { progress in
        { try progress(Progress(stage: $0, done: $1, total: $2)) }
      })
  }
}
