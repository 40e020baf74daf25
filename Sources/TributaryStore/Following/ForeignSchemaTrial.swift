import TributaryCore
import TributarySQLite

/// Runs the statements of another device's schema in memory. Each statement must make exactly one object, and must not
/// name the bookkeeping.
struct ForeignSchemaTrial {
  enum Verdict {
    /// The statement makes this object. What the object needs may still be missing here.
    case makes(SchemaObject)
    /// The statement is not carried out, for this reason.
    case refused(String)
  }

  /// Parallel to the statements.
  private(set) var verdicts: [Verdict] = []

  init(_ statements: [String], extensions: [String]) throws {
    let connection = try Connection(
      path: ":memory:", mode: .create, classifies: true, extensions: extensions)
    defer { connection.close() }
    connection.classifier?.protectsBookkeeping = true
    for sql in statements { verdicts.append(try Self.verdict(sql, connection)) }
  }

  private static func verdict(_ sql: String, _ connection: Connection) throws -> Verdict {
    guard let object = SchemaObject(sql: sql) else {
      return .refused("a statement there creates nothing: \(sql.prefix(Self.shownLength))")
    }
    let tokens = SQLScanner(Array(sql.utf8)).tokens
    // Statements inside triggers are compiled only when they fire.
    guard !tokens.contains(where: { $0.name.map { SQLName($0).hasPrefix("tributary_") } ?? false })
    else {
      return .refused("\(SchemaComparison.phrase(object)) names the bookkeeping of Tributary")
    }
    do {
      let statement = try connection.prepare(sql)
      guard statement.kind == .schema, statement.parameterCount == 0 else {
        return .refused("a statement there creates nothing: \(sql.prefix(Self.shownLength))")
      }
      try statement.run()
    } catch {
      // A module or a table may be missing. Whether that matters shows when the statement is carried out.
      guard error.isOfStatement else {
        return .refused("\(SchemaComparison.phrase(object)) cannot be made here: \(error.message)")
      }
    }
    return .makes(object)
  }

  private static let shownLength = 200
}
