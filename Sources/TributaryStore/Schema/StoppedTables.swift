import TributaryCore
import TributaryLog
import TributarySQLite

/// Shared tables that had to stop. Either another program has dropped or renamed the table, removed columns
/// from it, or given it another key, although logs name it; or a migration has given up a name that logs use
/// for the table, and a program has given that name to something else. Such a table is neither captured nor
/// imported until it is whole again and the store has been rebuilt; all other tables go on. What arrives for
/// it stays in the logs.
package struct StoppedTables {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns the names of the tables, as the logs spell them.
  package func names() throws -> [String] { try Settings(connection).lines(.stopped) }

  /// Whether a table must stop that is not recorded as stopped.
  package func isOutdated() throws -> Bool {
    let known = try Set(names().map { SQLName($0) })
    return try gone().keys.contains { !known.contains($0) }
  }

  /// Records the tables that must stop, within the open transaction.
  package func update() throws {
    var names = try names()
    let known = Set(names.map { SQLName($0) })
    let news = try gone().keys.filter { !known.contains($0) }
    if news.isEmpty { return }
    names += news.sorted().map(\.text)
    try Settings(connection).set(.stopped, lines: names)
    // Other connections reread the tables only if the schema has changed.
    try connection.execute("CREATE TABLE tributary_renewal (x); DROP TABLE tributary_renewal")
  }

  /// Resumes the tables that are whole again. Their contents must then be made from the logs.
  ///
  /// - Returns: whether there are any.
  @discardableResult
  package func release() throws -> Bool {
    let names = try names()
    let gone = try gone()
    let left = names.filter { gone[SQLName($0)] != nil }
    guard left.count < names.count else { return false }
    try Settings(connection).set(.stopped, lines: left)
    // Their triggers are gone.
    if try Settings(connection).captureMethod() == .triggers {
      try Settings(connection).set(.captured, nil)
    }
    return true
  }

  /// Returns for each table what has stopped it, and what would let it resume.
  ///
  /// - Parameter wanted: the tables of interest; `nil` for all.
  package func findings(of wanted: Set<SQLName>? = nil) throws -> [Refusal] {
    let names = try names().filter { wanted?.contains(SQLName($0)) ?? true }
    if names.isEmpty { return [] }
    let gone = try gone()
    return names.map { name in
      guard let departure = gone[SQLName(name)] else {
        return Refusal(
          "table \(name) is whole again, and what has arrived for it meanwhile waits in the logs",
          remedy:
            "run `tributary rebuild`, which brings it in, and keeps in a file what no log has")
      }
      return Refusal(
        "\(departure.text): table \(name) is neither published nor imported, and what arrives for it waits in the logs; all "
          + "other tables go on",
        remedy: "\(departure.remedy), then run `tributary rebuild`")
    }
  }

  /// Checks, before a migration runs, that it renames no table that has stopped, and gives no other table the
  /// name of one.
  ///
  /// - Throws: `StoreError` with the code `migration`, which says what would let it run.
  func check(_ changes: [NameChange]) throws {
    for case .renamedTable(let old, let new) in changes {
      let change = NameChange.renamedTable(old, to: new)
      if let stopped = try findings(of: [new]).first {
        throw refusal(
          of: change, stopped,
          "run `tributary detach`, move the file aside, and attach with the migrations and without the file, which makes the "
            + "tables from the logs")
      }
      if let stopped = try findings(of: [old]).first {
        throw refusal(of: change, stopped, "\(stopped.remedy), and then the migration")
      }
    }
  }

  private func refusal(of change: NameChange, _ stopped: Refusal, _ remedy: String) -> StoreError {
    StoreError(
      .migration, "the migration declares `\(change)`, but \(stopped.message)",
      path: connection.path, remedy: "\(remedy); nothing of it has been kept")
  }

  /// What has happened to a stopped table.
  private struct Departure {
    var text: String
    var remedy: String

    /// - Parameters:
    ///   - drop: the declaration that would drop what this store once had and no longer has.
    ///   - isOfKey: whether it is part of the key that identifies rows, so that no migration can drop it.
    init(of drop: NameChange, isOfKey: Bool) {
      self.init(lost: drop.phrase)
      if !isOfKey {
        remedy += ", or, if it is gone for good, run a migration with `-- tributary: \(drop)`"
      }
    }

    /// - Parameter table: a table whose key is no longer the one it had.
    init(ofKeyOf table: String) { self.init(lost: "the key of table \(table)") }

    private init(lost phrase: String) {
      text = "a program has dropped, renamed or changed \(phrase), which the logs name"
      remedy = "make it again under its name"
    }

    /// - Parameter phrase: the table or column that has a name that a migration has given up.
    init(nameTakenBy phrase: String) {
      text =
        "a program has made \(phrase) under a name that a migration has given up, and that logs use for something else"
      remedy = "give \(phrase) another name"
    }
  }

  /// Returns for each table what this store once had and no longer has, or what has its name now.
  private func gone() throws -> [SQLName: Departure] {
    // Without any transactions, no log names anything.
    guard
      try Outbox(connection).last() != nil || !KnowledgeTable(connection).peers().isEmpty
    else { return [:] }
    let selection = try TableSelection(declaredIn: connection)
    let schema = try ReplicatedSchema(connection, selection: selection)
    let names = try NameChanges(connection)
    let forms = try KeyForms(connection)
    var gone = try GivenUpNames(connection, []).taken(in: schema)
      .filter { selection.includes($0.key.text) }.mapValues(Departure.init(nameTakenBy:))
    for (_, shape) in try ShapeRegistry(connection).shapes.sorted(by: { $0.key < $1.key })
    where selection.includes(shape.table) && gone[SQLName(shape.table)] == nil {
      var departure: Departure?
      if let drop = schema.firstGone(from: shape.withoutHiddenKey, names) {
        departure = Departure(of: drop, isOfKey: shape.hasKey(in: drop))
      } else if schema.hasAnotherKey(than: shape, names)
        || forms.isAnother(in: schema, of: shape.table, names)
      {
        departure = Departure(ofKeyOf: shape.table)
      }
      gone[SQLName(shape.table)] = departure
    }
    return gone
  }

  /// Whether the loss of some table would not be noticed yet, because only other peers have written it.
  package func isForgetful() throws -> Bool {
    let known = try Set(ShapeRegistry(connection).shapes.values)
    let forms = try KeyForms(connection)
    return try tables().contains { !known.contains($0.shape) || !forms.know($0) }
  }

  /// Records the tables as they are now, within the open transaction, so that a later check can find what is
  /// gone.
  package func remember() throws {
    var registry = try ShapeRegistry(connection)
    var forms = try KeyForms(connection)
    for table in try tables() {
      _ = try registry.number(of: table.shape)
      forms.add(table)
    }
    try forms.write(to: connection)
  }

  private func tables() throws -> [TableDescription] {
    try ReplicatedSchema(connection, selection: TableSelection(connection)).tables
      .filter { $0.refusal == nil }
  }
}

extension TableShape {
  /// Whether a declaration drops a column of the key.
  fileprivate func hasKey(in drop: NameChange) -> Bool {
    guard case .droppedColumn(let column, _) = drop else { return false }
    return keys.contains { SQLName(columns[$0.column]) == column }
  }

  /// The shape without its row identifier, since that is not necessarily a column of the table.
  fileprivate var withoutHiddenKey: TableShape {
    guard keys.count == 1, keys[0].column == 0, let first = columns.first,
      ["rowid", "oid", "_rowid_"].contains(SQLName(first))
    else { return self }
    var shape = self
    shape.columns.removeFirst()
    return shape
  }
}
