import TributaryCore
import TributarySQLite

extension TableDescription {
  /// Why nothing can be declared about the numbers of the table's rows; `nil` if it can.
  fileprivate var reasonAgainstNumbers: String? {
    if hasNaturalKeys { return "its keys are declared natural, and no row ever loses one" }
    if isKeyReference, hasRowIdentifierKey {
      return "its key is that of another table, whose rows are numbered"
    }
    if !hasRowIdentifierKey { return "its rows have no numbers" }
    if keepsEqualRowsApart {
      return "its rows are known by themselves, and no program sees their numbers"
    }
    return nil
  }
}

extension MergeOptions {
  /// Checks that the declarations are possible, for tables as they were read under these options.
  ///
  /// - Throws: `StoreError` with the code `mergeOptions` naming the table and what is wrong.
  package func check(against schema: ReplicatedSchema, path: String) throws {
    if let refusal = refusals(against: schema, path: path).first { throw refusal.cause }
  }

  /// Returns refusals of the impossible declarations: the first one for each table.
  func refusals(against schema: ReplicatedSchema, path: String) -> [AttachRefusal] {
    var refusals: [AttachRefusal] = []
    do throws(StoreError) {
      if let repetition {
        throw refused("table \(repetition) is declared twice", path, "declare each table once")
      }
      try checkSpelling(of: tables.keys, "table", path)
    } catch {
      refusals.append(AttachRefusal(error))
    }
    for (name, merge) in tables.sorted(by: { $0.key < $1.key }) {
      do throws(StoreError) {
        try check(name, merge, schema, path)
      } catch {
        refusals.append(AttachRefusal(error, table: name.text))
      }
    }
    return refusals
  }

  private func check(
    _ name: SQLName, _ merge: TableMerge, _ schema: ReplicatedSchema, _ path: String
  ) throws(StoreError) {
    guard let table = schema.table(named: name.text) else {
      throw refused(
        "there is no table \(name) that is replicated", path,
        "name tables that exist and are not left out")
    }
    if merge.merge == .column, table.checkScope == .severalColumns {
      throw refused(
        "table \(name) has a CHECK that concerns several columns, which only merging by row keeps",
        path, "declare it by row, or not at all")
    }
    if let knownBy = merge.knownBy, table.knownBy == nil {
      throw refused(
        "table \(name) has a PRIMARY KEY, and its rows are known by that, not by \(knownBy)",
        path,
        "leave --rowid-key out for it")
    }
    if merge.hasPositiveNumbers, let reason = table.reasonAgainstNumbers {
      throw refused(
        "displaced rows of table \(table.name) cannot take positive numbers: \(reason)", path,
        "leave --positive-numbers out for it")
    }
    if !merge.identifyingColumns.isEmpty { try checkIdentity(merge, table, path) }
    try check(merge, table, path)
  }

  /// Checks declared identity: rows that are the same share a number, and all devices must compare their
  /// values in the same way.
  private func checkIdentity(
    _ merge: TableMerge, _ table: TableDescription, _ path: String
  ) throws(StoreError) {
    let remedy = "leave --identify out for it"
    if let reason = table.reasonAgainstNumbers {
      throw refused(
        "rows of table \(table.name) cannot be identified by values: \(reason)", path, remedy)
    }
    if merge.hasPositiveNumbers {
      throw refused(
        "rows of table \(table.name) cannot be identified by values and take positive numbers too",
        path, "leave --identify or --positive-numbers out for it")
    }
    try checkSpelling(of: merge.identifyingColumns, "column", path)
    for name in merge.identifyingColumns.sorted() {
      let what = "rows of table \(table.name) cannot be identified by \(name)"
      guard let place = table.shape.columns.firstIndex(where: { SQLName($0) == name }) else {
        throw refused(
          "\(what): the table stores no such column", path,
          "name columns that exist, none that is generated")
      }
      if table.shape.keys.contains(where: { $0.column == place }) {
        throw refused("\(what): that is the number by which they are known", path, remedy)
      }
      if !table.identifyingColumns.contains(where: { $0.column == place }) {
        throw refused(
          "\(what): its collation is not BINARY, NOCASE or RTRIM, and not every device could compare it",
          path, remedy)
      }
    }
  }

  private func check(
    _ merge: TableMerge, _ table: TableDescription, _ path: String
  ) throws(StoreError) {
    if let repetition = merge.repetition {
      throw refused(
        "column \(repetition) of table \(table.name) is declared twice", path,
        "declare each column once")
    }
    try checkSpelling(of: merge.columns.keys, "column", path)
    try checkSpelling(of: merge.references.keys, "column", path)
    for (name, policy) in merge.columns.sorted(by: { $0.key < $1.key }) {
      let what = "column \(name) of table \(table.name)"
      guard
        let place = table.columns.firstIndex(where: { SQLName($0.name) == name })
      else {
        throw refused("there is no \(what)", path, "name columns that exist")
      }
      guard policy != .latest else { continue }
      let column = table.columns[place]
      if column.isGenerated {
        throw refused(
          "\(what) is generated and cannot have a policy", path,
          "declare it for the columns that it is computed from")
      }
      if table.shape.keys.contains(where: { SQLName(table.shape.columns[$0.column]) == name }) {
        throw refused(
          "\(what) is in \(table.keyPhrase) and cannot have a policy", path, "leave it out")
      }
      if policy == .counter, column.affinity != .integer {
        throw refused(
          "\(what) is not an integer column and cannot be a counter", path,
          "declare its type INTEGER")
      }
    }
  }

  /// Checks spellings: `peer.json` lists all this by name, and JSON readers consider these names equal.
  private func checkSpelling(
    of names: some Collection<SQLName>, _ kind: String, _ path: String
  ) throws(StoreError) {
    var known: Set<String> = []
    for name in names where !known.insert(name.text).inserted {
      throw refused(
        "two declared \(kind)s, both named \(name), differ only in the composition of their letters, which the "
          + "container cannot distinguish",
        path, "declare one of the two \(kind)s only, or give it another name")
    }
  }

  private func refused(_ message: String, _ path: String, _ remedy: String) -> StoreError {
    StoreError(.mergeOptions, message, path: path, remedy: remedy)
  }

  /// Checks that the existing rows suit the policies of their columns.
  static func checkRows(of schema: ReplicatedSchema, in connection: Connection) throws {
    for table in schema.tables {
      try checkRows(of: table, in: connection, path: connection.path)
    }
  }

  static func checkRows(
    of table: TableDescription, in connection: Connection, path: String
  ) throws {
    for (column, policy) in zip(table.shape.columns, table.policies) where policy == .counter {
      let name = column.quotedIdentifier
      let strangers = try connection.integer(
        """
        SELECT count(*) FROM main.\(table.name.quotedIdentifier)
        WHERE typeof(\(name)) NOT IN ('integer', 'null')
        """)
      if strangers ?? 0 > 0 {
        throw StoreError(
          .policy,
          "column \(column) of table \(table.name) is a counter and has values other than integers",
          path: path, remedy: "make them integers or NULL, or declare no counter")
      }
    }
  }
}
