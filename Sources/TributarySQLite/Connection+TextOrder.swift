import CSQLite
import Glibc

extension Connection {
  /// The name of the collation that `addTextOrder` registers.
  package static var textOrder: String { "tributary_text" }

  /// Registers a collation that orders text by its bytes in UTF-8, whatever the encoding of the
  /// database.
  ///
  /// BINARY orders by the bytes as they are stored.
  ///
  /// Source: https://www.sqlite.org/c3ref/create_collation.html
  package func addTextOrder() throws(SQLiteError) {
    let code = sqlite3_create_collation_v2(
      handle, Self.textOrder, SQLITE_UTF8, nil,
      { _, firstCount, first, secondCount, second in
        let common = Int(min(firstCount, secondCount))
        if common > 0, let first, let second {
          let order = memcmp(first, second, common)
          if order != 0 { return order }
        }
        return firstCount - secondCount
      }, nil)
    if code != SQLITE_OK { throw error(code) }
  }
}
