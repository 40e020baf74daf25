import TributarySQLite

extension MergeOptions {
  /// Checks that what is declared can be, for tables as they were read under these options.
  ///
  /// - Throws: `StoreError.mergeOptions` naming the table and what is wrong.
  public func check(against schema: ReplicatedSchema, path: String) throws(StoreError) {
    var names: Set<String> = []
    for (name, merge) in tables.sorted(by: { $0.key < $1.key }) {
      guard names.insert(name.lowercased()).inserted else {
        throw refused("table \(name) is declared twice", path, "declare each table once")
      }
      guard let table = schema.table(named: name) else {
        throw refused(
          "there is no table \(name) that is replicated", path,
          "name tables that exist and are not left out")
      }
      if merge.merge == .column, table.checkScope == .severalColumns {
        throw refused(
          "table \(name) has a CHECK that concerns several columns, which only merging by row keeps",
          path, "declare it by row, or not at all")
      }
      try check(merge, table, path)
    }
  }

  private func check(
    _ merge: TableMerge, _ table: TableDescription, _ path: String
  ) throws(StoreError) {
    var names: Set<String> = []
    for (name, policy) in merge.columns.sorted(by: { $0.key < $1.key }) {
      let what = "column \(name) of table \(table.name)"
      guard names.insert(name.lowercased()).inserted else {
        throw refused("\(what) is declared twice", path, "declare each column once")
      }
      guard
        let place = table.columns.firstIndex(where: { $0.name.lowercased() == name.lowercased() })
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
      if table.shape.keys.contains(where: { table.shape.columns[$0.column] == column.name }) {
        throw refused(
          "\(what) is in the primary key and cannot have a policy", path, "leave it out")
      }
      if policy == .counter, column.affinity != .integer {
        throw refused(
          "\(what) is no integer column and cannot be a counter", path, "declare its type INTEGER")
      }
    }
  }

  private func refused(_ message: String, _ path: String, _ remedy: String) -> StoreError {
    StoreError(.mergeOptions, message, path: path, remedy: remedy)
  }

  /// Checks that the rows that are there suit the policies of their columns.
  static func checkRows(of schema: ReplicatedSchema, in connection: Connection) throws {
    for table in schema.tables where table.hasPolicies {
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
            "column \(column) of table \(table.name) is a counter and holds something else than integers",
            path: connection.path, remedy: "make them integers or NULL, or declare no counter")
        }
      }
    }
  }
}
