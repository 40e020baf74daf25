import TributaryCore
import TributaryLog
import TributaryStore

/// Maps the images of a shape in some log to rows of a table here: columns are matched by name.
final class TableMapping {
  let table: TableDescription
  let encoder: RowKeyEncoder
  /// For each column of the source, its position among the stored columns here; -1 if it was dropped here.
  let columns: [Int]
  /// The key columns of the source, in the order of its key.
  let sourceKeys: [Int]
  /// The columns of the source in the order of their first names, which is the same on every device.
  let columnsByName: [(name: String, source: Int)]
  /// For each position in the key, the local affinity that may turn a key from a log into another one; `nil`
  /// for columns that store values unchanged.
  let keyAffinities: [Affinity?]
  /// For each local column, whether it belongs to the key.
  let isKey: [Bool]
  /// Whether the source has every column, in the same order.
  let isIdentity: Bool
  /// The number under which rows of this table are kept in a batch.
  let tableNumber: UInt32

  init(
    _ source: TableShape, table: TableDescription, number: UInt32, _ names: NameChanges
  ) throws(MergeError) {
    self.table = table
    tableNumber = number
    encoder = RowKeyEncoder(shape: source)
    sourceKeys = source.keys.map(\.column)
    var columns: [Int] = []
    for name in source.columns {
      switch names.meaning(of: name, in: source.table, among: table) {
      case .present(let present): columns.append(table.shape.position(of: present) ?? -1)
      case .dropped: columns.append(-1)
      case .unknown:
        throw MergeError(
          .schema, "the log has a column \(name) of table \(table.name) that does not exist here",
          remedy: "run the migration that adds it, then sync again")
      }
    }
    let keys = source.keys.map {
      TableShape.Key(column: columns[$0.column], collation: $0.collation)
    }
    guard keys == table.shape.keys else {
      throw MergeError.otherKey(
        "table \(table.name) has another primary key in the log than here", of: table.name)
    }
    self.columns = columns
    let affinities = table.affinities
    keyAffinities = table.shape.keys.map { key in
      affinities[key.column] == .blob ? nil : affinities[key.column]
    }
    isKey = table.shape.columns.indices.map { column in
      keys.contains { $0.column == column }
    }
    columnsByName = source.columns.indices.map { index in
      (names.firstName(ofColumn: source.columns[index], of: source.table), index)
    }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    isIdentity = columns == Array(0..<table.shape.columns.count)
  }

  /// Appends the key of a change.
  ///
  /// Callers use this rather than `encoder`, so that nothing is copied for each row.
  func encodeKey(
    _ operation: ChangeOperation, image: UnsafeRawBufferPointer, into key: inout ByteBuffer
  ) throws(LogError) {
    try encoder.encode(operation, image: image, into: &key)
  }

  /// Returns the row of a change.
  func identity(of change: ChangeView) throws(LogError) -> RowIdentity {
    var key = ByteBuffer()
    try encodeKey(change.operation, image: change.image, into: &key)
    return RowIdentity(table: Int(tableNumber), key: Array(key.bytes))
  }

  // MARK: Reading images

  /// Passes on the values of an image by local column; for a deletion, only the values of its key.
  @inline(__always)
  func forEachCell(
    _ operation: ChangeOperation, _ image: UnsafeRawBufferPointer,
    _ body: (_ column: Int, ValueView) -> Void
  ) throws(LogError) {
    try forEachLoggedCell(operation, image) { column, view in
      if column >= 0 { body(column, view) }
    }
  }

  /// Passes on all values of an image, with -1 for columns that were dropped here.
  @inline(__always)
  func forEachLoggedCell(
    _ operation: ChangeOperation, _ image: UnsafeRawBufferPointer,
    _ body: (_ column: Int, ValueView) -> Void
  ) throws(LogError) {
    var cursor = ImageCursor(image)
    if operation == .delete {
      for source in sourceKeys { body(columns[source], try cursor.next()) }
    } else {
      for column in columns { body(column, try cursor.next()) }
    }
  }

  /// Returns the values of an image by local column; `absent` where it has none.
  func cells(
    _ operation: ChangeOperation, _ image: UnsafeRawBufferPointer
  ) throws(LogError) -> [ValueView] {
    var cells = Array(repeating: ValueView.absent, count: table.shape.columns.count)
    try forEachCell(operation, image) { cells[$0] = $1 }
    return cells
  }

  /// Returns the values of an image with all columns, in the order of `columnsByName`.
  func valuesByName(_ image: UnsafeRawBufferPointer) throws(LogError) -> [(
    name: String, view: ValueView
  )] {
    var cursor = ImageCursor(image)
    var cells: [ValueView] = []
    for _ in columns { cells.append(try cursor.next()) }
    return columnsByName.map { ($0.name, cells[$0.source]) }
  }

  /// The first name of the key of a table with a single key column.
  var keyName: String? {
    columnsByName.first { $0.source == sourceKeys[0] }?.name
  }

  /// Returns a copy of a change, with its values by local column.
  ///
  /// - Parameter place: its position among the changes of its transaction.
  func change(
    _ change: ChangeView, by author: BatchTransaction, place: Int32
  ) throws(LogError) -> RowHistory.Change {
    RowHistory.Change(
      author: author, operation: change.operation, place: place,
      values: try cells(change.operation, change.image).map(\.value))
  }

  /// Returns the number of the row of a change, in a table with numbers for keys.
  func rowNumber(
    _ operation: ChangeOperation, _ image: UnsafeRawBufferPointer
  ) throws(LogError) -> Int64? {
    var cursor = ImageCursor(image)
    if operation != .delete {
      for _ in 0..<sourceKeys[0] { _ = try cursor.next() }
    }
    let number = try cursor.next()
    return number.kind == .integer ? number.integer : nil
  }

  /// Returns the number of the row in an update that sets nothing; `nil` for any other update.
  func rowNumberOfEmptyUpdate(_ image: UnsafeRawBufferPointer) throws(LogError) -> Int64? {
    var isEmpty = true
    try forEachCell(.update, image) { column, view in
      if view.kind != .absent, !isKey[column] { isEmpty = false }
    }
    return isEmpty ? try rowNumber(.update, image) : nil
  }
}
