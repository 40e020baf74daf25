import TributarySQLite

/// Expressions of DEFAULT that may have a different value each time: if a row lacks the column in its log,
/// each device would give it another value.
enum VaryingDefault {
  /// Whether an expression may have a different value each time.
  ///
  /// SQLite itself decides that: a computed column accepts no function whose result may vary. A function that
  /// only an application has counts as one.
  ///
  /// Source: https://www.sqlite.org/deterministic.html
  static func isVarying(_ expression: String) -> Bool {
    if TableRules.isLiteral(expression) { return false }
    do {
      let scratch = try Connection(path: ":memory:", mode: .create)
      defer { scratch.close() }
      try scratch.execute("CREATE TABLE t (a, b AS (\(expression))); INSERT INTO t (a) VALUES (0)")
      // SQLite refuses the current time only when the value is read.
      _ = try scratch.prepare("SELECT b FROM t").step()
      return false
    } catch {
      // Whatever the reason, the value cannot be relied on.
      return true
    }
  }
}
