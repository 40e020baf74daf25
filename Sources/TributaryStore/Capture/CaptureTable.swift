import TributaryLog
import TributarySQLite

/// What the hook needs to know about one table, in raw memory: no reference counting on the row path.
struct CaptureTable {
  struct Column {
    /// The index that SQLite expects for the value before a change, or after an insert.
    var index: Int32
    /// The index that SQLite expects for the value after an update.
    var updatedIndex: Int32
    var isReal: Bool
    /// Whether integers in old rows may appear as reals.
    var isDisplaced: Bool
    var isKey: Bool
    var policy: ColumnPolicy
  }

  /// A referring column, and the column to which it refers.
  struct ReferencePair {
    /// A column, by the way in which its value can be read.
    enum Side {
      /// By the index that SQLite expects.
      case index(Int32)
      /// As the row identifier, which not every release finds behind virtual columns.
      case rowIdentifier
      /// Its value cannot be read.
      case none
    }

    /// The referring column, before an update.
    var child: Side
    /// The referenced column, after an update.
    var parent: Side
    /// Whether this is the last column of its foreign key.
    var isLast: Bool
  }

  let name: UnsafeMutablePointer<CChar>
  let shape: UInt32
  let columns: UnsafeMutableBufferPointer<Column>
  /// The positions of the key in `columns`, in the order of the key.
  let keys: UnsafeMutableBufferPointer<Int>
  /// The columns of the table's foreign keys to itself, one key after another.
  let selfReferences: UnsafeMutableBufferPointer<ReferencePair>
  /// Whether any of these foreign keys has SET NULL or SET DEFAULT.
  let setsOwnColumns: Bool
  let hasRowIdentifierKey: Bool
  /// Whether the table must not be written at all.
  let isRefused: Bool

  let mergesByRow: Bool
  /// Whether the table merges by column, with all columns treated alike.
  let isPlain: Bool

  /// Whether every change so far in this transaction had a larger row identifier than the change before it.
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
        func side(_ column: Int, _ index: (Int) -> Int32) -> ReferencePair.Side {
          if table.columns[column].isVirtual { return .none }
          return column == indices.rowIdentifier ? .rowIdentifier : .index(index(column))
        }
        return ReferencePair(
          child: side(pair.child, indices.index(ofColumn:)),
          parent: side(pair.parent, indices.updatedIndex(ofColumn:)),
          isLast: position == reference.columns.count - 1)
      }
    }
    setsOwnColumns = table.selfReferences.contains(where: \.setsColumns)
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
