import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// The numbers of rows after a store has come back, where they differ: in the baseline, other rows may have
/// the numbers that the store shows.
struct ReturnNumbers {
  private let schema: ReplicatedSchema
  private let roots: KeyRoots
  private let shown: ShownRows
  private let returned: ShownRows
  private(set) var numbers: [SharedNumber: Int64] = [:]
  /// The numbers of rows from before the fenced transactions, if one of these gave the number again.
  private var replaced: [SharedNumber: Int64] = [:]

  /// Determines the numbers.
  ///
  /// - Parameters:
  ///   - logs: what the store had. Its connection is to the store as it was.
  ///   - rows: what is issued again.
  ///   - connection: the store with the contents of the baseline.
  init(
    _ logs: FencedLogs, _ rows: FencedRows, from shown: ShownRows, to returned: ShownRows,
    in connection: Connection
  ) throws {
    schema = rows.schema
    self.shown = shown
    self.returned = returned
    let constraints = try ConstraintSet(connection, schema: schema)
    roots = KeyRoots(constraints)
    let births = try NumberingTable(connection, schema: schema).all()
    let registry = NumberingRegistry(births, tables: constraints.numberedTables)
    // The view is that of one more transaction by the store: by a number, it means what the store shows.
    let view = BatchTransaction(
      side: Conflict.Side(
        peer: logs.exchange.own, sequence: logs.known[logs.exchange.own].next, time: .zero),
      knowledge: logs.known)
    let before = try NumberingTable(logs.exchange.connection, schema: schema).all()
    for numbering in births + before {
      let table = schema.tables[numbering.table].lastingName
      for number in [
        numbering.number,
        FreshNumber.number(table: table, key: numbering.number, numbering: numbering.stamp),
        FreshNumber.number(table: table, key: numbering.number, numbering: nil),
      ] {
        let shared = SharedNumber(table: numbering.table, number: number)
        let meant = registry.number(shared, meantBy: view, joins: false, formerly: false)
        if meant != number { numbers[shared] = meant }
      }
    }
    var taken: Set<SharedNumber> = []
    for (row, fenced) in inOrder(rows) { try renumber(row, fenced, &taken) }
    try identify(rows)
  }

  var substitution: NumberSubstitution { NumberSubstitution(roots: roots, numbers: numbers) }

  /// Returns the rows that were given numbers, in the order in which displaced rows choose: by stamp, and
  /// within a transaction by number.
  private func inOrder(_ rows: FencedRows) -> [(RowIdentity, FencedRow)] {
    let numbered = rows.rows.compactMap { row, fenced in
      fenced.numbering.map { (row: row, fenced: fenced, numbering: $0) }
    }
    return numbered.sorted { a, b in
      if a.numbering.stamp != b.numbering.stamp { return a.numbering.stamp < b.numbering.stamp }
      if a.row.table != b.row.table { return a.row.table < b.row.table }
      return a.numbering.number < b.numbering.number
    }.map { ($0.row, $0.fenced) }
  }

  /// Gives a row its fresh number, under which every store issues it.
  ///
  /// - Parameter taken: the numbers of the rows that have already chosen.
  private mutating func renumber(
    _ row: RowIdentity, _ fenced: FencedRow, _ taken: inout Set<SharedNumber>
  ) throws {
    guard let (number, stamp) = fenced.numbering, let present = try self.number(of: row) else {
      return
    }
    let table = schema.tables[row.table]
    var fresh = FreshNumber.number(table: table.lastingName, key: number, numbering: stamp)
    if let bits = table.merge.positiveBits {
      for choice in 0..<FreshNumber.positiveCount {
        let positive = FreshNumber.positive(fresh, choice: choice, bits: bits)
        let identity = try table.identity(key: [.integer(positive)], number: row.table)
        let shared = SharedNumber(table: row.table, number: positive)
        guard try !taken.contains(shared) && returned.row(identity) == nil else { continue }
        taken.insert(shared)
        fresh = positive
        break
      }
    }
    let shared = SharedNumber(table: row.table, number: present)
    if fenced.hasReplacedNumber { replaced[shared] = numbers[shared] ?? present }
    numbers[shared] = fresh
  }

  /// Returns the key of the row that had the number of a row before it; `nil` if no other row had it.
  func keyBefore(_ row: RowIdentity) throws -> [Value]? {
    guard let present = try number(of: row) else { return nil }
    return replaced[SharedNumber(table: row.table, number: present)].map { [.integer($0)] }
  }

  private func number(of row: RowIdentity) throws -> Int64? {
    try schema.tables[row.table].keyValues(row.key).first?.rowNumber
  }

  /// Finds the rows of the baseline that are declared to be the same as such rows. The values that make rows
  /// the same may include the number of such a row.
  private mutating func identify(_ rows: FencedRows) throws {
    let tables = schema.tables.indices.filter { !schema.tables[$0].identifyingColumns.isEmpty }
    var there: [Int: [[UInt8]: Int64]] = [:]
    for number in tables {
      let table = schema.tables[number]
      var known: [[UInt8]: Int64] = [:]
      try returned.forEach(of: number) { row in
        guard let bytes = try table.identity(of: row), let key = table.key(of: row)[0].rowNumber
        else { return }
        known[bytes] = min(known[bytes] ?? key, key)
      }
      there[number] = known
    }
    var hasChanged = !tables.isEmpty
    while hasChanged {
      hasChanged = false
      for (row, fenced) in rows.rows where fenced.numbering != nil {
        guard let known = there[row.table], let present = try number(of: row),
          let values = try shown.row(row),
          let bytes = try schema.tables[row.table].identity(
            of: substitution.row(values, of: row.table)), let same = known[bytes]
        else { continue }
        let shared = SharedNumber(table: row.table, number: present)
        if numbers[shared] ?? present != same {
          numbers[shared] = same
          hasChanged = true
        }
      }
    }
  }
}
