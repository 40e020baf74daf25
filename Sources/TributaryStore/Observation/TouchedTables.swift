import Glibc
import TributaryCore

/// The tables in which a transaction changes rows, replicated or not, as the preupdate hook sees them.
///
/// It may include a table whose rows are unchanged, since a savepoint may have been rolled back.
struct TouchedTables: ~Copyable {
  /// Whether tables are noted. While there is no observer, each row costs only this test.
  private(set) var isNoting = false
  private var names: [UnsafeMutablePointer<CChar>] = []
  /// The index of the table of the last row: rows of one table often come together.
  private var last = 0

  deinit { for name in names { free(name) } }

  /// Begins a transaction.
  mutating func begin(noting: Bool) {
    isNoting = noting
    last = 0
    guard !names.isEmpty else { return }
    for name in names { free(name) }
    names.removeAll()
  }

  /// Notes the table of a row.
  ///
  /// - Complexity: O(1) if it is the table of the last row, otherwise O(tables); memory is allocated once per
  ///   table.
  mutating func note(_ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) {
    guard strcmp(schema, "main") == 0 else { return }
    if last < names.count, strcmp(names[last], table) == 0 { return }
    for index in names.indices where strcmp(names[index], table) == 0 {
      last = index
      return
    }
    guard let copy = strdup(table) else { return }
    last = names.count
    names.append(copy)
  }

  /// The names, without those of the bookkeeping.
  var tables: [SQLName] {
    names.map { SQLName(String(cString: $0)) }.filter { !$0.hasPrefix(SQLName.bookkeepingPrefix) }
  }
}

extension SQLName {
  /// The prefix of the names of the library's own tables.
  static let bookkeepingPrefix = "tributary_"
}
