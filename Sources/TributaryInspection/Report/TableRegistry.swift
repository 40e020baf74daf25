/// Assigns numbers to the tables of a report.
struct TableRegistry {
  private(set) var tables: [ReportTable] = []
  private(set) var others = ChangeTally()
  private var numbers: [Name: Int] = [:]
  private let limit: Int

  private struct Name: Hashable {
    var content: Int
    var table: TableName
  }

  init(_ limits: ReportLimits) { limit = limits.tables }

  /// Returns the number of a table.
  ///
  /// - Returns: `nil` for a table that comes too late to be listed.
  mutating func number(of table: String, content: Int) -> Int? {
    let name = Name(content: content, table: TableName(table))
    if let number = numbers[name] { return number }
    guard tables.count < limit else { return nil }
    numbers[name] = tables.count
    tables.append(ReportTable(name: table, content: content))
    return tables.count - 1
  }

  mutating func add(_ counts: ChangeTally, to table: Int?) {
    if let table { tables[table].counts += counts } else { others += counts }
  }
}
