import TributaryLog
import TributaryMerge

/// The numbers that a batch has given to the shapes of one stream.
struct ShapeMappings {
  private var generation = -1
  private var numbers: [Int?] = []
  private var isKnown: [Bool] = []

  /// Returns the number of a shape.
  ///
  /// - Returns: `nil` for a table that is left out here.
  /// - Throws: `MergeError.schema` for a table that does not exist here.
  mutating func mapping(
    _ shape: UInt32, of stream: some TransactionStream, in batch: MergeBatch
  ) throws -> Int? {
    if generation != stream.generation {
      generation = stream.generation
      numbers.removeAll()
      isKnown.removeAll()
    }
    let index = Int(shape)
    if index < isKnown.count, isKnown[index] { return numbers[index] }
    let number = try batch.mapping(for: stream.shape(shape))
    // Numbers are small in segments of this library; a forged large one is looked up each time.
    if index < 4096 {
      while isKnown.count <= index {
        isKnown.append(false)
        numbers.append(nil)
      }
      isKnown[index] = true
      numbers[index] = number
    }
    return number
  }
}
