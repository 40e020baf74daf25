import CSQLite

extension Connection {
  /// Switches the enforcement of foreign keys on this connection on or off, even within a
  /// transaction, where the pragma has no effect.
  ///
  /// Prepared statements are recompiled.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigenablefkey
  package func setForeignKeys(enforced: Bool) {
    tributary_enable(handle, SQLITE_DBCONFIG_ENABLE_FKEY, enforced ? 1 : 0)
  }

  /// Switches foreign keys off, if they are on, because a foreign key to a table that does not exist kept a
  /// statement from being compiled. They stay off as after a pragma.
  ///
  /// Such a foreign key enforces nothing, but SQLite compiles no write to its table while foreign keys are
  /// on.
  ///
  /// - Returns: whether to compile the statement again.
  /// - Complexity: O(1) unless a table of the main database is missing.
  func passesOverAbsentParent(_ failure: SQLiteError) -> Bool {
    let prefix = "no such table: main."
    guard let classifier, classifier.passesOverAbsentParents, failure.message.hasPrefix(prefix),
      (try? integer("PRAGMA foreign_keys")) == 1,
      (try? integer(
        """
        SELECT 1 FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name, 'main') AS f
        WHERE s.type = 'table' AND f."table" = ? COLLATE NOCASE LIMIT 1
        """, .string(String(failure.message.dropFirst(prefix.count))))) != nil
    else { return false }
    setForeignKeys(enforced: false)
    classifier.hasSettings = true
    return true
  }

  /// Whether texts are stored in UTF-8 rather than UTF-16.
  package func isUTF8() throws -> Bool {
    let encoding = try prepare("PRAGMA encoding")
    return try encoding.step() && encoding.string(0) == "UTF-8"
  }

  /// Returns the collation that a column was declared with; `nil` if there is no such column.
  package func collation(of column: String, in table: String) -> String? {
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      handle, "main", table, column, nil, &name, nil, nil, nil)
    guard code == SQLITE_OK, let name else { return nil }
    return String(cString: name)
  }
}

extension Connection {
  /// Sets how long statements wait for the locks of other connections, in milliseconds; a negative time means not at all.
  package func limitWaiting(to milliseconds: Int32) {
    sqlite3_busy_timeout(handle, max(0, milliseconds))
  }

  /// Forbids SQL that could damage the file: writes to the schema table and to the shadow tables of virtual
  /// tables.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigdefensive
  package func refuseDamage() { tributary_enable(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }

  /// Whether foreign keys were switched off since the connection was opened.
  ///
  /// - Complexity: O(1) without a query as long as no pragma was used.
  package var hasForeignKeysOff: Bool {
    get throws {
      try classifier?.hasSettings == true && integer("PRAGMA foreign_keys") == 0
    }
  }

  /// Makes statements prepared from now on keep the store's guarantees, whatever pragmas they use.
  ///
  /// - Precondition: the connection was opened to classify statements.
  package func keepPromises(whileReading isReading: Bool) {
    guard let classifier else { preconditionFailure("statements are not classified") }
    refuseDamage()
    classifier.keepsPromises = true
    classifier.keepsOut = isReading
    classifier.hasSettings = false
  }
}

extension Connection {
  /// Leaves the write-ahead log as it is when the last connection closes. This is for connections that only
  /// inspect the database.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
  package func keepWriteAheadLog() {
    tributary_enable(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }
}
