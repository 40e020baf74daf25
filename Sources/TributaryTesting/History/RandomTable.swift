internal import TributaryCore

/// A table of a random schema: its model, the statement that creates it, and suitable values.
struct RandomTable: Sendable {
  enum KeyKind: CaseIterable, Sendable {
    case integer, text, nocase, rtrim, blob, untyped

    /// The type and collation in a column definition.
    var declaration: String {
      switch self {
      case .integer: "INTEGER"
      case .text: "TEXT"
      case .nocase: "TEXT COLLATE NOCASE"
      case .rtrim: "TEXT COLLATE RTRIM"
      case .blob: "BLOB"
      case .untyped: ""
      }
    }

    var collation: ReferenceCollation {
      switch self {
      case .nocase: .nocase
      case .rtrim: .rtrim
      case .integer, .text, .blob, .untyped: .binary
      }
    }
  }

  /// The declared types, each with possible defaults: as SQL, and as stored.
  static let columnTypes: [(type: String, defaults: [(sql: String, stored: Value)])] = [
    ("INTEGER", [("7", 7), ("-1", -1), ("'12'", 12)]),
    ("REAL", [("1", 1.0), ("0.1", 0.1), ("-0.0", 0.0)]),
    ("TEXT", [("''", ""), ("'it''s'", "it's"), ("5", "5")]),
    ("BLOB", [("x'00ff'", .blob([0, 255])), ("1.5", 1.5)]),
    ("NUMERIC", [("2.0", 2), ("'x'", "x")]),
    ("", [("1.0", 1.0), ("'1'", "1")]),
  ]

  let model: ReferenceTable
  let keyKinds: [KeyKind]
  let createStatement: String

  /// The columns that are not in the key.
  var otherColumns: [String] {
    model.columns.map(\.name).filter { name in !model.keyColumns.contains { $0.name == name } }
  }

  /// Whether the key is one integer, so that statements can compute with it.
  var hasIntegerKey: Bool { keyKinds == [.integer] }

  init(
    _ number: Int, _ names: RandomNames, declaring declaration: KeyDeclaration,
    using generator: inout some RandomNumberGenerator
  ) {
    let name = names.table(number)
    let drawn: [KeyKind] =
      generator.once(in: 3)
      ? (0..<generator.number(2...3)).map { _ in generator.pick(KeyKind.allCases) }
      : [generator.pick(KeyKind.allCases)]
    let kinds = declaration == .none ? [.integer] : drawn
    let keys = kinds.indices.map {
      ReferenceKeyColumn(
        declaration == .none ? "_rowid_" : "k\($0)", collation: kinds[$0].collation)
    }

    var definitions =
      declaration == .none ? [] : zip(keys, kinds).map { "\($0.name) \($1.declaration) NOT NULL" }
    var columns = keys.map { ReferenceColumn($0.name) }
    for number in 0..<generator.number(1...5) {
      let choice = generator.pick(Self.columnTypes)
      let stated = generator.once(in: 3) ? generator.pick(choice.defaults) : nil
      let column = names.column(number)
      definitions.append("\(column) \(choice.type)" + (stated.map { " DEFAULT \($0.sql)" } ?? ""))
      columns.append(ReferenceColumn(column, default: stated?.stored ?? .null))
    }
    // A key may name its columns in an order that differs from the table's, and need not come
    // first.
    let order = generator.once(in: 4) ? Array(kinds.indices.reversed()) : Array(kinds.indices)
    let keyComesLast = generator.once(in: 4)
    if keyComesLast, declaration != .none {
      definitions.append(definitions.removeFirst())
      columns.append(columns.removeFirst())
    }
    // What SQLite misreports about some tables cannot be replicated.
    let hasReal = definitions.contains { $0.contains(" REAL") }
    let hasGenerated = !keyComesLast && generator.once(in: 4)
    if hasGenerated {
      let kind = generator.pick(["VIRTUAL", "STORED"])
      definitions.insert(
        "g AS (typeof(\(names.column(0)))) \(kind)",
        at: generator.number(min(kinds.count, definitions.count)...definitions.count))
    }
    let mayBeWithoutRowID = generator.once(in: 4) && !((keyComesLast || hasGenerated) && hasReal)
    let withoutRowID = declaration == .primary && mayBeWithoutRowID
    let key = "(\(order.map { keys[$0].name }.joined(separator: ", ")))"
    switch declaration {
    case .primary: definitions.append("PRIMARY KEY \(key)")
    case .unique: definitions.append("UNIQUE \(key)")
    case .none: break
    }
    createStatement = """
      CREATE TABLE \(name) (
        \(definitions.joined(separator: ",\n  "))
      )\(withoutRowID ? " WITHOUT ROWID" : "")
      """
    keyKinds = order.map { kinds[$0] }
    model = ReferenceTable(
      name: name, columns: columns, keyColumns: order.map { keys[$0] },
      hasGeneratedKeys: keyKinds == [.integer] && !withoutRowID && declaration != .unique,
      keepsEqualRowsApart: declaration == .none)
  }
}
