internal import TributaryCore
internal import TributarySQLite

/// A column of a `FormTable`.
struct FormColumn: Sendable {
  static let types = [
    "INTEGER", "INT", "BIGINT", "UNSIGNED BIG INT", "REAL", "DOUBLE PRECISION", "FLOAT", "NUMERIC",
    "DECIMAL(10,2)",
    "BOOLEAN", "DATETIME", "TEXT", "VARCHAR(20)", "CLOB", "BLOB", "", "ANY", "FLOATING POINT",
    "STRING", "JSON",
  ]
  static let strictTypes = ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]

  let name: String
  private(set) var type: String
  let isStrict: Bool
  /// The clauses after the type.
  var clauses: [String] = []
  var collation = ReferenceCollation.binary
  var isGenerated = false
  /// Whether its default is the time.
  var isClock = false
  var isNotNull = false
  /// The table whose key it refers to.
  var reference: Int?

  var quoted: String { name.quotedIdentifier }

  var definition: String {
    ([quoted, type] + clauses).filter { !$0.isEmpty }.joined(separator: " ")
  }

  mutating func collate(_ collation: ReferenceCollation) {
    self.collation = collation
    clauses.append("COLLATE \(collation.rawValue)")
  }

  mutating func declareNotNull(using random: inout some RandomNumberGenerator) {
    isNotNull = true
    let clause = random.once(in: 4) ? ConflictClause.random(replacing: true, using: &random) : nil
    clauses.append("NOT NULL" + (clause?.definition ?? ""))
  }

  /// Adds declarations that a column outside keys may have.
  mutating func decorate(using random: inout some RandomNumberGenerator) {
    if random.once(in: 4) { collate(random.pick(ReferenceCollation.allCases)) }
    if random.once(in: 3) { declareDefault(using: &random) }
    if random.once(in: 6) { declareNotNull(using: &random) }
    if random.once(in: 6) {
      clauses.append(
        random.pick([
          "CHECK (\(quoted) IS NOT 'forbidden')", "CHECK (length(\(quoted)) < 100000)",
          "CONSTRAINT \"why not\" CHECK (typeof(\(quoted)) <> 'none')",
        ]))
    }
  }

  private mutating func declareDefault(using random: inout some RandomNumberGenerator) {
    let choice = random.pick([
      "7", "-1", "-9223372036854775808", "0x10", "1.5", "-0.0", "1e3", "9e999", "'it''s'", "''",
      "x'00ff'", "x''",
      "NULL", "TRUE", "(1 + 1)", "(abs(-3) || 'x')", "(NULL)", "('a' || char(0) || 'b')",
      "(CAST(x'ff' AS TEXT))",
      "(1.0)", "(zeroblob(3))", "CURRENT_TIMESTAMP", "CURRENT_DATE", "(hex('a') || current_time)",
    ])
    isClock = choice.lowercased().contains("current_")
    clauses.append("DEFAULT \(choice)")
  }

  /// Makes it a column whose value is computed from another one.
  mutating func generate(from other: FormColumn, using random: inout some RandomNumberGenerator) {
    isGenerated = true
    isClock = other.isClock
    let expression = random.pick([
      "typeof(\(other.quoted))", "\(other.quoted)", "length(\(other.quoted))",
      "\(other.quoted) || 'x'",
      "\(other.quoted) IS NULL", "hex(\(other.quoted))", "\(other.quoted) + 1",
    ])
    clauses = [
      random.once(in: 2) ? "GENERATED ALWAYS AS (\(expression))" : "AS (\(expression))",
      random.pick(["", "VIRTUAL", "STORED"]),
    ]
    // SQLite 3.40 accepts a type other than that of a STORED column in a STRICT table only if there is no
    // trigger.
    if isStrict, clauses[1] == "STORED" { type = "ANY" }
  }

  /// The type whose values it takes.
  var valueType: String { isStrict ? type : Self.affine[type] ?? "" }

  private static let affine = [
    "INTEGER": "INTEGER", "INT": "INTEGER", "REAL": "REAL", "TEXT": "TEXT", "VARCHAR(20)": "TEXT",
    "BLOB": "BLOB",
  ]

  func value(using random: inout some RandomNumberGenerator) -> Value {
    let value =
      isStrict || random.once(in: 2)
      ? FormValues.of(valueType, using: &random) : FormValues.any(using: &random)
    return isNotNull && value == .null && !random.once(in: 8) ? 1 : value
  }
}
