/// The counts of a shape that are needed to find the end of a row image.
@usableFromInline @frozen package struct ShapeLayout: Hashable, Sendable {
  /// 1 … 32,767; 0 means a shape that is not defined.
  @usableFromInline let columns: UInt16
  @usableFromInline let keys: UInt16
  /// The last column of the key, counted from 0.
  @usableFromInline let lastKeyColumn: UInt16

  @inlinable package var columnCount: Int { Int(columns) }
  @inlinable package var keyCount: Int { Int(keys) }

  /// Makes a layout from its counts.
  ///
  /// - Precondition: 1 ≤ `keyCount` ≤ `columnCount` ≤ 32,767.
  package init(columnCount: Int, keyCount: Int) {
    precondition(1 <= keyCount && keyCount <= columnCount)
    precondition(columnCount <= LogFormat.maximumColumnCount)
    columns = UInt16(columnCount)
    keys = UInt16(keyCount)
    lastKeyColumn = UInt16(columnCount - 1)
  }

  /// Makes the layout of a shape.
  ///
  /// - Precondition: the shape is valid.
  package init(_ shape: TableShape) {
    columns = UInt16(shape.columns.count)
    keys = UInt16(shape.keys.count)
    lastKeyColumn = UInt16(shape.keys.reduce(0) { max($0, $1.column) })
  }

  private init() { (columns, keys, lastKeyColumn) = (0, 0, 0) }

  static let undefined = ShapeLayout()

  /// Returns the number of values in an image.
  @inlinable func valueCount(of operation: ChangeOperation) -> Int {
    operation == .delete ? keyCount : columnCount
  }
}
