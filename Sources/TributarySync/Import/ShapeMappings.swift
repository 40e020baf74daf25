import TributaryLog
import TributaryMerge
import TributaryReplay

/// The numbers that a batch has given to the shapes of one stream; `nil` for a table that is left out here.
typealias ShapeMappings = ShapeCache<Int?>

extension ShapeMappings {
  /// Returns the number of a shape.
  ///
  /// - Parameter numberings: checks whether the author numbers the rows of the table as this store does.
  ///   Given for what has not been imported yet.
  /// - Returns: `nil` for a table that is left out here.
  /// - Throws: `MergeError` with the code `schema` for a table that does not exist here, or whose rows the
  ///   author numbers differently.
  mutating func mapping(
    _ shape: UInt32, of stream: some TransactionStream, in batch: MergeBatch,
    checking numberings: NumberingAgreement? = nil
  ) throws -> Int? {
    try value(shape, of: stream) { shape in
      let mapping = try batch.mapping(for: shape)
      if let mapping, let numberings {
        try numberings.check(batch.table(of: mapping), of: stream.peer, batch.schema.names)
      }
      return mapping
    }
  }
}
