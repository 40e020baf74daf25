import TributaryCore
import TributarySQLite

/// Looks for rows of a store that have a number or refer to it, or did so in a conflict.
package struct NumberTraces {
  private let connection: Connection
  private let constraints: ConstraintSet

  package init(connection: Connection, constraints: ConstraintSet) {
    self.connection = connection
    self.constraints = constraints
  }

  private var schema: ReplicatedSchema { constraints.schema }

  /// Whether there are any traces; sometimes also `true` if there are none.
  ///
  /// - Complexity: if a column that refers to such numbers has no index, reads it completely.
  package func exist(of numbers: Set<SharedNumber>) throws -> Bool {
    guard !numbers.isEmpty else { return false }
    let roots = KeyRoots(constraints)
    // Any other number would serve as well.
    let substitution = NumberSubstitution(
      roots: roots, numbers: Dictionary(uniqueKeysWithValues: numbers.map { ($0, .min) }))
    for table in substitution.tables {
      for (column, root) in roots.columns[table] {
        let wanted = numbers.filter { $0.table == root }.map(\.number)
        if try isVisible(wanted, in: column, of: schema.tables[table]) { return true }
      }
    }
    return try isHeld(substitution) || isInConflict(substitution)
  }

  private func isVisible(
    _ numbers: [Int64], in column: Int, of table: TableDescription
  ) throws -> Bool {
    let name = table.shape.columns[column].quotedIdentifier
    let isNumber = table.hasRowIdentifierKey && table.shape.keys[0].column == column
    // This finds the number however it is written.
    let term = isNumber ? name : "CAST(\(name) AS NUMERIC)"
    let list = numbers.map(String.init).joined(separator: ", ")
    return try !numbers.isEmpty
      && connection.integer(
        "SELECT 1 FROM main.\(table.name.quotedIdentifier) WHERE \(term) IN (\(list)) LIMIT 1")
        != nil
  }

  private func isHeld(_ substitution: NumberSubstitution) throws -> Bool {
    let held = HeldTable(connection, schema: schema)
    for number in substitution.tables {
      let table = schema.tables[number]
      for entry in try held.entries(of: [number]) {
        let key = try table.keyValues(entry.identity.key)
        if substitution.key(key, table, number: number) != key
          || substitution.cells(entry.cells, table, number: number) != entry.cells
        {
          return true
        }
      }
    }
    return false
  }

  private func isInConflict(_ substitution: NumberSubstitution) throws -> Bool {
    let tables = Dictionary(
      substitution.tables.map { (SQLName(schema.tables[$0].name), $0) }, uniquingKeysWith: { $1 })
    return try ConflictTable(connection).conflicts().contains { conflict in
      guard let number = tables[SQLName(conflict.table)] else { return false }
      let table = schema.tables[number]
      return substitution.key(conflict.key, table, number: number) != conflict.key
        || substitution.cells(conflict.values, table, number: number) != conflict.values
    }
  }
}
