package import TributaryCore
package import TributarySQLite
package import TributaryStore

/// What an application wants of the store of a document.
package struct DocumentOptions: Sendable {
  /// The migrations to run if they have not run yet. Empty if the logs or the database provide the tables.
  package var migrations: [Migration] = []
  /// How tables merge, where it differs from the default.
  package var merge: MergeOptions?
  /// The tables that are replicated; `nil` means all, or what the logs say.
  package var tables: TableSelection?
  /// How writes are captured; `nil` leaves it unchanged, and means `defaultCapture` for a store that is made now.
  package var capture: CaptureMethod?
  package var defaultCapture = CaptureMethod.hook
  /// Whether the store takes by itself what the schemas of other devices add; `nil` leaves it unchanged.
  package var followsSchema: Bool?
  /// The same for a store that is made now.
  package var followsSchemaByDefault = false
  /// The name of this device for people; `nil` means the name of the machine.
  package var peerName: String?
  /// What a new document says of itself for those who search for it.
  package var attributes: [String: String] = [:]
  /// Ends making or opening the document; `nil` if nobody can.
  package var cancellation: Cancellation?

  /// The names of migrations that have run in the database of which the store is a copy.
  var formerMigrations: [String] = []

  /// Makes options that leave everything to the logs, or to the database.
  package init(migrations: [Migration] = []) { self.migrations = migrations }

  /// Returns the options with what they leave open taken from those of another store.
  func completed(by other: DocumentOptions) -> DocumentOptions {
    var options = self
    options.merge = merge ?? other.merge
    options.tables = tables ?? other.tables
    options.capture = capture ?? other.capture
    options.followsSchema = followsSchema ?? other.followsSchema
    if migrations.isEmpty { options.formerMigrations = other.formerMigrations }
    return options
  }

  /// Whether a store that is here needs nothing done.
  var asksNothing: Bool {
    migrations.isEmpty && merge == nil && tables == nil && capture == nil && followsSchema == nil
      && peerName == nil
  }
}
