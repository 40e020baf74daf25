import TributaryCore
import TributarySQLite

/// The form of the keys of shared tables, beyond the columns that a shape names: SQLite's row identifier, or
/// columns with certain affinities. Rows with another kind of key are different rows: only a row identifier
/// gives way to a row with the same number, and a key with another affinity turns `'1'` into 1.
struct KeyForms {
  private static let rowIdentifier = "rowid"
  /// The form of the key of each table.
  private var forms: [SQLName: String] = [:]

  /// Reads the forms of a store.
  init(_ connection: Connection) throws {
    for line in try Settings(connection).lines(.keyForms) {
      // A table's name may be empty.
      let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2 else {
        throw StoreError.damaged(
          "the bookkeeping has a form of a key that cannot be read: \(line)", path: connection.path)
      }
      forms[SQLName(String(words[1]))] = String(words[0])
    }
  }

  /// Records the forms, within the open transaction.
  func write(to connection: Connection) throws {
    try Settings(connection).set(
      .keyForms, lines: forms.map { "\($0.value) \($0.key.text)" }.sorted())
  }

  func know(_ table: TableDescription) -> Bool { forms[SQLName(table.name)] != nil }

  /// Adds the form of a table, unless it is known.
  mutating func add(_ table: TableDescription) {
    if know(table) { return }
    forms[SQLName(table.name)] = Self.form(of: table)
  }

  /// Forgets tables that no log names, within the open transaction, since a program of this store may make
  /// other tables with these names.
  static func forget(_ tables: Set<SQLName>, in connection: Connection) throws {
    var forms = try KeyForms(connection)
    let former = forms.forms.count
    for table in tables { forms.forms[table] = nil }
    if forms.forms.count < former { try forms.write(to: connection) }
  }

  /// Whether the form of a table's key now differs from the recorded one.
  ///
  /// - Parameter logged: the table's name at that time.
  func isAnother(in schema: ReplicatedSchema, of logged: String, _ names: NameChanges) -> Bool {
    guard let form = forms[SQLName(logged)],
      case .present(let name) = names.meaning(of: logged, among: schema),
      let table = schema.table(named: name)
    else { return false }
    return Self.form(of: table) != form
  }

  private static func form(of table: TableDescription) -> String {
    if table.hasRowIdentifierKey { return rowIdentifier }
    let affinities = table.affinities
    return table.shape.keys.map { affinities[$0.column].rawValue }.joined(separator: ",")
  }
}
