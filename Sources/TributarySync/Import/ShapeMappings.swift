import TributaryLog
import TributaryMerge
import TributaryReplay

/// The numbers that a batch has given to the shapes of one stream; `nil` for a table that is left out here.
typealias ShapeMappings = ShapeCache<Int?>

extension ShapeMappings {
  /// Returns the number of a shape.
  ///
  /// - Returns: `nil` for a table that is left out here.
  /// - Throws: `MergeError` with the code `schema` for a table that does not exist here.
  mutating func mapping(
    _ shape: UInt32, of stream: some TransactionStream, in batch: MergeBatch
  ) throws -> Int? {
    try value(shape, of: stream) { try batch.mapping(for: $0) }
  }
}
