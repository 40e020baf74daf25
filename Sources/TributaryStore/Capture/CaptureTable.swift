import TributaryLog
import TributarySQLite

/// What the hook needs to know of one table, in raw memory: no reference counting on the row path.
struct CaptureTable {
  struct Column {
    /// The index that SQLite expects for the value before a change, or after an insert.
    var index: Int32
    /// The index that SQLite expects for the value after an update.
    var updatedIndex: Int32
    var isReal: Bool
    /// Whether integers of old rows may appear as reals.
    var isDisplaced: Bool
    var isKey: Bool
    var policy: ColumnPolicy
  }

  /// A referring column, and the column that it refers to.
  struct ReferencePair {
    /// The index that SQLite expects for the value before an update; `nil` if it has none.
    var child: Int32?
    /// The index that SQLite expects for the value after an update; `nil` if it has none.
    var parent: Int32?
    /// Whether this is the last column of its foreign key.
    var isLast: Bool
  }

  let name: UnsafeMutablePointer<CChar>
  let shape: UInt32
  let columns: UnsafeMutableBufferPointer<Column>
  /// The positions of the key in `columns`, in the order of the key.
  let keys: UnsafeMutableBufferPointer<Int>
  /// The columns of the foreign keys to the table itself, one key after another.
  let selfReferences: UnsafeMutableBufferPointer<ReferencePair>
  let hasRowIdentifierKey: Bool
  /// Whether the table must not be written at all.
  let isRefused: Bool

  let mergesByRow: Bool
  /// Whether the table is merged by column, with all columns alike.
  let isPlain: Bool

  /// Whether every change so far in this transaction had a larger row identifier than the one
  /// before.
  var isAscending = true
  var lastKey = Int64.min

  init(_ table: TableDescription, shape: UInt32) {
    self.shape = shape
    hasRowIdentifierKey = table.hasRowIdentifierKey
    isRefused = table.refusal != nil
    mergesByRow = table.mergesByRow
    isPlain = !table.mergesByRow && !table.hasPolicies
    let name = Array(table.name.utf8CString)
    self.name = .allocate(capacity: name.count)
    self.name.initialize(from: name, count: name.count)
    let indices = PreupdateIndices(table)
    let keyColumns = Set(table.shape.keys.map(\.column))
    columns = .allocate(capacity: table.storedColumns.count)
    for (position, column) in table.storedColumns.enumerated() {
      columns.initializeElement(
        at: position,
        to: Column(
          index: indices.index(ofColumn: column),
          updatedIndex: indices.updatedIndex(ofColumn: column),
          isReal: table.columns[column].affinity == .real,
          isDisplaced: indices.isDisplaced(column), isKey: keyColumns.contains(position),
          policy: table.policies[position]))
    }
    let pairs = table.selfReferences.flatMap { reference in
      reference.columns.enumerated().map { position, pair in
        ReferencePair(
          child: table.columns[pair.child].isVirtual ? nil : indices.index(ofColumn: pair.child),
          parent: table.columns[pair.parent].isVirtual
            ? nil : indices.updatedIndex(ofColumn: pair.parent),
          isLast: position == reference.columns.count - 1)
      }
    }
    selfReferences = .allocate(capacity: pairs.count)
    _ = selfReferences.initialize(fromContentsOf: pairs)
    keys = .allocate(capacity: table.shape.keys.count)
    _ = keys.initialize(fromContentsOf: table.shape.keys.map(\.column))
  }

  func deallocate() {
    name.deallocate()
    columns.deallocate()
    keys.deallocate()
    selfReferences.deallocate()
  }
}
