import TributarySQLite

/// Expressions of DEFAULT that may have another value each time: on each device, a row that lacks the column in its log
/// would get another one.
enum VaryingDefault {
  /// Whether an expression may have another value each time.
  ///
  /// SQLite itself says so: a computed column takes no function whose result may differ. A function that only an
  /// application has counts as one.
  ///
  /// Source: https://www.sqlite.org/deterministic.html
  static func isVarying(_ expression: String) -> Bool {
    if TableRules.isLiteral(expression) { return false }
    do {
      let scratch = try Connection(path: ":memory:", mode: .create)
      defer { scratch.close() }
      try scratch.execute("CREATE TABLE t (a, b AS (\(expression))); INSERT INTO t (a) VALUES (0)")
      // The present time is refused only when it is asked for.
      _ = try scratch.prepare("SELECT b FROM t").step()
      return false
    } catch {
      // Whatever the reason: the value cannot be relied on.
      return true
    }
  }
}
