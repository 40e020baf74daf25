package import TributaryStore

/// The table of a key-value store.
///
/// Each set writes the whole row as an insert. So of two devices' sets, or of a set and a removal, the later
/// one wins, whatever was there before. None of them leaves a conflict (`ColumnPolicy.last`).
package enum KeyValueSchema {
  package static let table = "key_value"
  /// The view that states the limits of the store.
  static let profileView = "key_value_profile"
  package static let migrationName = "key-value"

  private static let createTable = """
    CREATE TABLE key_value (
      key TEXT NOT NULL PRIMARY KEY,
      -- string, integer, real, bool, date, data, array or dictionary
      type TEXT NOT NULL,
      -- dates are seconds since 2001; arrays and dictionaries are binary property lists
      value NOT NULL,
      -- when it was set, in milliseconds since 1970; it rises with each set
      changed INTEGER NOT NULL
    ) WITHOUT ROWID
    """

  private static func createView(_ profile: KeyValueProfile) -> String {
    "CREATE VIEW key_value_profile AS SELECT '\(profile.rawValue)' AS profile"
  }

  package static func migration(_ profile: KeyValueProfile) -> Migration {
    Migration(name: migrationName, sql: "\(createTable);\n\(createView(profile));")
  }

  package static var merge: MergeOptions {
    MergeOptions(
      tables: [table: TableMerge(columns: ["type": .last, "value": .last, "changed": .last])])
  }

  /// Returns the limits that the statements of a schema state; `nil` if they are not the statements of a
  /// key-value store.
  static func profile(in statements: some Sequence<String>) -> KeyValueProfile? {
    let statements = Set(statements)
    return KeyValueProfile.allCases.first { statements.contains(createView($0)) }
  }

  static let selection = "SELECT key, type, value FROM key_value"
  static let insertion = """
    INSERT OR REPLACE INTO key_value (key, type, value, changed) VALUES (?1, ?2, ?3,
      max(?4, coalesce((SELECT changed + 1 FROM key_value WHERE key = ?1), 0)))
    """
  static let removal = "DROP VIEW key_value_profile; DROP TABLE key_value"
  static let deletion = "DELETE FROM key_value WHERE key = ?"
}
