import TributaryCore
import TributaryLog
import TributaryStore

/// Reads changes with the meaning that their author intended, where rows were given the same number by
/// accident.
struct Rereading {
  let roots: KeyRoots
  let registry: NumberingRegistry
  /// Whether to ignore the most recently added numberings.
  var formerly = false

  /// Lends a change with the current numbers of the rows.
  func withMeaning<Result>(
    of change: ChangeView, _ mapping: TableMapping, by transaction: BatchTransaction,
    _ body: (ChangeView) throws -> Result
  ) throws -> Result {
    try change.withImage(image(of: change, mapping, by: transaction), body)
  }

  /// Returns the image with the current numbers of the rows.
  ///
  /// - Returns: `nil` if it is unchanged.
  func image(
    of change: ChangeView, _ mapping: TableMapping, by transaction: BatchTransaction
  ) throws(LogError) -> [UInt8]? {
    let columns = roots.columns[Int(mapping.tableNumber)]
    if registry.isEmpty || columns.isEmpty { return nil }
    var image = ByteBuffer(capacity: change.image.count + 8)
    var isSame = true
    try mapping.forEachLoggedCell(change.operation, change.image) { column, view in
      guard view.kind != .absent, view.kind != .null,
        let root = columns.first(where: { $0.column == column })?.root,
        let written = view.rowNumber
      else { return image.append(view) }
      let shared = SharedNumber(table: root, number: written)
      let isNumbering =
        change.operation == .insert && root == Int(mapping.tableNumber) && mapping.isKey[column]
      let number = number(shared, in: change, isNumbering: isNumbering, by: transaction)
      if number == written { return image.append(view) }
      isSame = false
      image.append(view.replacing(rowNumber: number))
    }
    return isSame ? nil : Array(image.bytes)
  }

  /// Returns the current number of the row that a change means by a number.
  private func number(
    _ shared: SharedNumber, in change: ChangeView, isNumbering: Bool,
    by transaction: BatchTransaction
  ) -> Int64 {
    if isNumbering { return registry.number(shared, numberedBy: transaction, formerly: formerly) }
    // Adopted rows are inserted, and rows below a horizon have the numbers of that time.
    let joins =
      transaction.side.time == .zero && change.operation != .insert
      && transaction.side != .earliest
    return registry.number(shared, meantBy: transaction, joins: joins, formerly: formerly)
  }
}

extension ChangeView {
  /// Lends the change with another image; unchanged if that is `nil`.
  func withImage<Result>(
    _ image: [UInt8]?, _ body: (ChangeView) throws -> Result
  ) rethrows -> Result {
    guard let image else { return try body(self) }
    return try image.withUnsafeBytes { bytes in
      try body(ChangeView(operation: operation, shapeID: shapeID, image: bytes))
    }
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

  /// Returns the number of another row as a value of the same type, which the column stores unchanged.
  fileprivate func replacing(rowNumber number: Int64) -> Value {
    switch kind {
    case .real: .real(Double(number))
    case .text: .text(NumberText.replacing(bytes, with: number))
    case .null, .integer, .blob, .absent: .integer(number)
    }
  }
}
