import TributaryLog
import TributaryReplay

/// What was found out about the shapes of one stream, by their numbers.
struct ShapeCache<Value> {
  private var generation = -1
  private var values: [Value?] = []

  /// Returns what is known about a shape, or finds it out.
  mutating func value(
    _ shape: UInt32, of stream: some TransactionStream, _ find: (TableShape) throws -> Value
  ) rethrows -> Value {
    if generation != stream.generation {
      generation = stream.generation
      values.removeAll()
    }
    let index = Int(shape)
    if index < values.count, let value = values[index] { return value }
    let value = try find(stream.shape(shape))
    // Numbers are small in segments that this library writes. A forged large number is looked up each time.
    if index < 4096 {
      while values.count <= index { values.append(nil) }
      values[index] = value
    }
    return value
  }
}
