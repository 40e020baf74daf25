import CSQLite

extension Connection {
  /// Has foreign keys enforced, or not, on this connection, within a transaction too.
  ///
  /// The pragma does nothing there. Prepared statements are compiled anew.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigenablefkey
  public func setForeignKeys(enforced: Bool) {
    tributary_enable(handle, SQLITE_DBCONFIG_ENABLE_FKEY, enforced ? 1 : 0)
  }

  /// The collation that a column was declared with; `nil` when there is no such column.
  public func collation(of column: String, in table: String) -> String? {
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      handle, "main", table, column, nil, &name, nil, nil, nil)
    guard code == SQLITE_OK, let name else { return nil }
    return String(cString: name)
  }
}

extension Connection {
  /// Refuses what could damage the file by plain SQL: writes to the schema table and to the shadows of
  /// virtual tables.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigdefensive
  public func refuseDamage() { tributary_enable(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }

  /// Whether somebody has switched foreign keys off since the connection was opened.
  ///
  /// - Complexity: nothing is asked as long as no pragma was used.
  public var hasForeignKeysOff: Bool {
    get throws {
      try classifier?.hasSettings == true && integer("PRAGMA foreign_keys") == 0
    }
  }

  /// Has the statements prepared from now on keep what the store promises, whatever pragmas they use.
  ///
  /// - Precondition: the connection was opened to classify statements.
  public func keepPromises(whileReading isReading: Bool) {
    guard let classifier else { preconditionFailure("statements are not classified") }
    refuseDamage()
    classifier.keepsPromises = true
    classifier.keepsOut = isReading
    classifier.hasSettings = false
  }
}

extension Connection {
  /// Has the write-ahead log stay as it is when the last connection closes: for those who only look.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
  public func keepWriteAheadLog() {
    tributary_enable(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }
}
