import TributaryCore
import TributaryLog
import TributarySQLite

extension LocalStore {
  /// Returns how the store's tables merge, as far as that was declared.
  package func mergeOptions() throws -> MergeOptions { try service { try MergeOptions($0) } }

  /// Declares how tables merge that no transaction has changed yet. Existing declarations may be repeated.
  ///
  /// - Throws: `StoreError` with the code `mergeOptions` for an impossible declaration, and for a different
  ///   declaration of a table that has been written.
  package func declare(_ options: MergeOptions) throws {
    var options = options
    let says = try service { connection in
      let recorded = try MergeOptions(connection)
      options = try options.completed(by: recorded).spelled(
        by: ReplicatedSchema(connection, selection: TableSelection(connection)))
      try options.check(
        against: ReplicatedSchema(
          connection, selection: TableSelection(connection), merge: options),
        path: path)
      return recorded
    }
    guard !options.adds(nothingTo: says) else { return }
    try write { try $0.declare(options) }
  }

  /// Returns the replicated tables as they would be with these declarations in addition to the existing ones.
  package func schema(declaring options: MergeOptions) throws -> ReplicatedSchema {
    try service {
      let all = try options.merging(MergeOptions($0))
      let plain = try ReplicatedSchema($0, selection: TableSelection($0), merge: all)
      return try ReplicatedSchema(
        $0, selection: TableSelection($0), merge: all.spelled(by: plain))
    }
  }

  /// Adopts the declarations of other devices for tables that this store has not written.
  ///
  /// - Parameter own: what is about to be declared here; the declarations of others do not replace it.
  package func inherit(_ options: MergeOptions, exceptFor own: MergeOptions? = nil) throws {
    let new = try service { try options.inheritable(to: $0, exceptFor: own) }
    if !new.isEmpty { try declare(new) }
  }
}

extension MergeOptions {
  /// Returns those declarations of other devices that a store adopts: the ones for tables that it has not
  /// written.
  package func inheritable(
    to connection: Connection, exceptFor own: MergeOptions?
  ) throws -> MergeOptions {
    let recorded = try MergeOptions(connection)
    var new = restricted(
      to: try ReplicatedSchema(
        connection, selection: TableSelection(connection), merge: MergeOptions()))
    new.tables = try new.tables.filter {
      try !$0.value.isEquivalent(to: recorded[$0.key]) && (own?[$0.key].isEmpty ?? true)
        && !$0.value.isEmpty
        && !Outbox(connection).mentions(table: $0.key.text)
    }
    // The choice for a store that already has rows is not changed unless requested.
    if try new.isForeignKeyUse(of: recorded) || own?.foreignKeys != nil
      || Self.hasTransactions(connection)
    {
      new.foreignKeys = nil
    }
    return new
  }

  /// Returns the reasons against making these declarations in a store.
  package func refusals(in connection: Connection, path: String) throws -> [AttachRefusal] {
    let recorded = try MergeOptions(connection)
    let selection = try TableSelection(connection)
    let options = try completed(by: recorded).spelled(
      by: ReplicatedSchema(connection, selection: selection))
    let schema = try ReplicatedSchema(connection, selection: selection, merge: options)
    var refusals = options.refusals(against: schema, path: path)
    refusals += try options.referenceRefusals(
      in: ReplicatedSchema(connection, selection: selection, merge: options.merging(recorded)),
      connection, path: path)
    _ = try refusals.collect { try checkForeignKeys(besides: recorded, connection, path: path) }
    let known = options.restricted(to: schema)
    for (name, merge) in known.tables.sorted(by: { $0.key < $1.key }) {
      _ = try refusals.collect(table: name.text) {
        try Self.checkMayChange(name, merge, recorded[name], connection, path: path)
      }
    }
    return refusals
  }

  /// Checks the use of foreign keys.
  ///
  /// - Throws: `StoreError` with the code `mergeOptions` if it differs from that of a store that has rows.
  fileprivate func checkForeignKeys(
    besides recorded: MergeOptions, _ connection: Connection, path: String
  ) throws {
    guard !isForeignKeyUse(of: recorded), try Self.hasTransactions(connection) else { return }
    let present = recorded.foreignKeys ?? .enforce
    throw StoreError(
      .mergeOptions,
      "the store was attached with --foreign-keys \(present.rawValue), and its rows have merged so",
      path: path,
      remedy:
        "leave the option out, or `tributary detach --remove-logs` on every device and attach anew")
  }

  /// Whether a store has written or imported any transaction.
  private static func hasTransactions(_ connection: Connection) throws -> Bool {
    try Outbox(connection).last() != nil || !KnowledgeTable(connection).peers().isEmpty
  }

  /// Checks whether a declaration may change.
  ///
  /// - Throws: `StoreError` with the code `mergeOptions` if rows have already merged by another declaration.
  fileprivate static func checkMayChange(
    _ name: SQLName, _ merge: TableMerge, _ recorded: TableMerge, _ connection: Connection,
    path: String
  ) throws {
    guard !merge.isEquivalent(to: recorded) else { return }
    var withoutNumbers = merge
    withoutNumbers.positiveBits = recorded.positiveBits
    let problem: String
    if withoutNumbers.isEquivalent(to: recorded) {
      // The numbers do not matter until a row has been displaced.
      guard try NumberingTable.mentions(name.text, connection) else { return }
      problem = "rows of table \(name) were given numbers twice already, and it merges \(recorded)"
    } else {
      guard
        try Outbox(connection).mentions(table: name.text)
          || merge.identifyingColumns != recorded.identifyingColumns
            && NumberingTable.mentions(name.text, connection)
      else { return }
      problem = "table \(name) merges \(recorded) and has been written so"
    }
    throw StoreError(
      .mergeOptions, "\(problem); it cannot merge \(merge) now", path: path,
      remedy: "declare what it was attached with, or `tributary detach --remove-logs` on every "
        + "device and attach anew")
  }

  /// Whether these add nothing to the recorded declarations.
  func adds(nothingTo recorded: MergeOptions) -> Bool {
    isForeignKeyUse(of: recorded)
      && tables.allSatisfy { $0.value.isEquivalent(to: recorded[$0.key]) }
  }

  /// Whether the use of foreign keys is the same as the store's.
  fileprivate func isForeignKeyUse(of recorded: MergeOptions) -> Bool {
    foreignKeys.map { $0 == recorded.foreignKeys ?? .enforce } ?? true
  }
}

extension Database {
  /// Records declarations for existing tables that no transaction has changed.
  func declare(_ options: MergeOptions) throws {
    let selection = try TableSelection(connection)
    let recorded = try MergeOptions(connection)
    let plain = try ReplicatedSchema(connection, selection: selection, merge: options)
    let known = options.completed(by: recorded).restricted(to: plain).spelled(by: plain)
    guard !known.adds(nothingTo: recorded) else { return }
    try known.checkForeignKeys(besides: recorded, connection, path: connection.path)
    for (name, merge) in known.tables.sorted(by: { $0.key < $1.key }) {
      try MergeOptions.checkMayChange(
        name, merge, recorded[name], connection, path: connection.path)
    }
    let all = known.merging(recorded)
    let schema = try ReplicatedSchema(connection, selection: selection, merge: all)
    try known.check(against: schema, path: connection.path)
    try known.referenceRefusals(in: schema, connection, path: connection.path).check()
    try MergeOptions.checkRows(of: schema, in: connection)
    try all.write(to: connection)
    // Other connections reread the tables only if the schema has changed.
    try connection.execute("CREATE TABLE tributary_renewal (x); DROP TABLE tributary_renewal")
    try schemaDidChange()
  }
}

extension Outbox {
  /// Whether any transaction of this store has changed rows of a table. Where the first transactions are only
  /// in baselines, the rows in the table stand for them.
  ///
  /// - Complexity: reads all transactions.
  func mentions(table: String) throws -> Bool {
    guard let last = try last()?.sequence else { return false }
    let first = try firstWithChanges() ?? last.next
    if first > SequenceNumber(1),
      try connection.integer("SELECT 1 FROM main.\(table.quotedIdentifier) LIMIT 1") != nil
    {
      return true
    }
    guard first <= last else { return false }
    let registry = try ShapeRegistry(connection)
    let shapes = Set(
      registry.shapes.filter { SQLName($0.value.table) == SQLName(table) }.keys)
    guard !shapes.isEmpty else { return false }
    let pieces = OutboxPieces(connection)
    var buffer = ByteBuffer()
    for sequence in first.rawValue...last.rawValue {
      pieces.begin(SequenceNumber(sequence))
      while try pieces.read(into: &buffer) {
        var reader = ChangeListReader(buffer.bytes)
        while let change = try reader.next(layout: registry.layout) {
          if shapes.contains(change.shapeID) { return true }
        }
      }
    }
    return false
  }
}
