import TributaryCore
import TributaryLog
import TributaryStore

/// Reads changes as their author meant them, where rows were given one number by accident.
struct Rereading {
  let roots: KeyRoots
  let registry: BirthRegistry
  /// Whether to ignore the births that were added last.
  var formerly = false

  /// Lends a change with the present numbers of the rows.
  func withMeaning<Result>(
    of change: ChangeView, _ mapping: TableMapping, by transaction: BatchTransaction,
    _ body: (ChangeView) throws -> Result
  ) throws -> Result {
    guard let image = try image(of: change, mapping, by: transaction) else {
      return try body(change)
    }
    return try image.withUnsafeBytes { bytes in
      try body(ChangeView(operation: change.operation, shapeID: change.shapeID, image: bytes))
    }
  }

  /// Returns the image with the present numbers of the rows.
  ///
  /// - Returns: `nil` if it is the same.
  func image(
    of change: ChangeView, _ mapping: TableMapping, by transaction: BatchTransaction
  ) throws(LogError) -> [UInt8]? {
    let columns = roots.columns[Int(mapping.tableNumber)]
    if registry.isEmpty || columns.isEmpty { return nil }
    var cursor = change.values
    var image = ByteBuffer(capacity: change.image.count + 8)
    var isSame = true
    // Adopted rows are inserted.
    let joins = transaction.side.time == .zero && change.operation != .insert
    let sources =
      change.operation == .delete ? mapping.sourceKeys : Array(0..<mapping.sourceColumnCount)
    for source in sources {
      let view = try cursor.next()
      if view.kind != .absent, view.kind != .null,
        let root = columns.first(where: { $0.column == mapping.columns[source] })?.root,
        let written = view.rowNumber
      {
        let shared = SharedNumber(table: root, number: written)
        let isBirth =
          change.operation == .insert && root == Int(mapping.tableNumber)
          && mapping.sourceKeys.contains(source)
        let number =
          isBirth
          ? registry.number(shared, bornIn: transaction, formerly: formerly)
          : registry.number(
            shared, meantBy: transaction, joins: joins, formerly: formerly)
        if number == written {
          image.append(view)
        } else {
          isSame = false
          image.append(view.replacing(rowNumber: number))
        }
      } else {
        image.append(view)
      }
    }
    return isSame ? nil : Array(image.bytes)
  }
}

extension ValueView {
  /// The number of the row that SQLite finds by this value; `nil` if it finds none.
  fileprivate var rowNumber: Int64? {
    switch kind {
    case .integer: return integer
    case .real: return Int64(exactly: real)
    case .text:
      guard case .integer(let number)? = NumberText.value(of: bytes) else { return nil }
      return number
    case .null, .blob, .absent: return nil
    }
  }

  /// Returns the number of another row as a value of the same type, which the column stores as it
  /// is.
  fileprivate func replacing(rowNumber number: Int64) -> Value {
    switch kind {
    case .real: .real(Double(number))
    case .text: .text(NumberText.replacing(bytes, with: number))
    case .null, .integer, .blob, .absent: .integer(number)
    }
  }
}
