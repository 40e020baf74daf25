import TributaryCore

/// Replaces the former numbers of rows with their new ones.
package struct NumberSubstitution {
  let roots: KeyRoots
  package let numbers: [SharedNumber: Int64]

  package init(roots: KeyRoots, numbers: [SharedNumber: Int64]) {
    self.roots = roots
    self.numbers = numbers
  }

  /// The tables with columns that may hold a replaced number.
  var tables: [Int] {
    let moved = Set(numbers.keys.map(\.table))
    return roots.columns.indices.filter { table in
      roots.columns[table].contains { moved.contains($0.root) }
    }
  }

  /// Returns the new value of a stored column.
  func value(_ value: Value, column: Int, of table: Int) -> Value {
    guard let root = roots.columns[table].first(where: { $0.column == column })?.root,
      let number = value.rowNumber,
      let other = numbers[SharedNumber(table: root, number: number)]
    else { return value }
    return value.replacing(rowNumber: other)
  }

  package func row(_ row: [Value], of table: Int) -> [Value] {
    row.enumerated().map { value($1, column: $0, of: table) }
  }

  package func key(_ key: [Value], _ table: TableDescription, number: Int) -> [Value] {
    zip(table.shape.keys, key).map { value($1, column: $0.column, of: number) }
  }

  package func cells(
    _ cells: [Conflict.Cell], _ table: TableDescription, number: Int
  ) -> [Conflict.Cell] {
    cells.map { cell in
      var cell = cell
      let column = table.shape.columns.firstIndex { SQLName($0) == SQLName(cell.column) }
      if let column { cell.value = value(cell.value, column: column, of: number) }
      return cell
    }
  }
}

extension Value {
  /// The number of the row that SQLite finds by this value; `nil` if it finds none.
  package var rowNumber: Int64? {
    switch self {
    case .integer(let number): return number
    case .real(let number): return Int64(exactly: number)
    case .text(let bytes):
      guard case .integer(let number)? = bytes.withUnsafeBytes({ NumberText.value(of: $0) })
      else { return nil }
      return number
    case .null, .blob: return nil
    }
  }

  /// Returns the number of another row as a value of the same type, which the column stores unchanged.
  func replacing(rowNumber number: Int64) -> Value {
    switch self {
    case .real: .real(Double(number))
    case .text(let bytes):
      .text(bytes.withUnsafeBytes { NumberText.replacing($0, with: number) })
    case .null, .integer, .blob: .integer(number)
    }
  }
}
