package import TributaryCore
package import TributarySQLite
package import TributaryStore

/// The options of an application for the store of a document.
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
  /// Whether the store adds on its own what the schemas of other devices add; `nil` leaves this unchanged.
  package var followsSchema: Bool?
  /// The same for a store that is made now.
  package var followsSchemaByDefault = false
  /// A name by which people recognise this device; `nil` means the name of the machine.
  package var peerName: String?
  /// What a new document says about itself, so that it can be searched for.
  package var attributes: [String: String] = [:]
  /// Cancels making or opening the document; `nil` if it cannot be cancelled.
  package var cancellation: Cancellation?

  /// The names of migrations that have run in the database that the store is a copy of.
  var formerMigrations: [String] = []

  /// Makes options that leave everything to the logs, or to the database.
  package init(migrations: [Migration] = []) { self.migrations = migrations }

  /// Returns the options, with unset values taken from the options of another store.
  func completed(by other: DocumentOptions) -> DocumentOptions {
    var options = self
    options.merge = merge ?? other.merge
    options.tables = tables ?? other.tables
    options.capture = capture ?? other.capture
    options.followsSchema = followsSchema ?? other.followsSchema
    if migrations.isEmpty { options.formerMigrations = other.formerMigrations }
    return options
  }

  /// Whether the options require nothing to be done to an existing store.
  var asksNothing: Bool {
    migrations.isEmpty && merge == nil && tables == nil && capture == nil && followsSchema == nil
      && peerName == nil
  }
}
