import TributaryCore
import TributaryLog

/// The effects of a transaction's captured changes, by row. Its memory is reused for the next transaction.
final class NetEffectTally {
  private struct Row {
    var touches = 0
    /// Whether a statement that was not undone deleted or inserted a row under this key.
    var isPut = false
    var isUndone = false
  }

  /// For each shape, the encoder of its keys and the number of its table.
  private struct Encoder {
    let encoder: RowKeyEncoder
    let table: UInt32
  }

  enum Verdict {
    /// The change is the row's net effect.
    case copied
    /// The row must be compared with its former state.
    case compared(isPut: Bool)
    /// The row has been compared already.
    case done
  }

  @exclusivity(unchecked) private var index = RowKeyIndex()
  @exclusivity(unchecked) private var rows: [Row] = []
  @exclusivity(unchecked) private var encoders: [UInt32: Encoder] = [:]
  @exclusivity(unchecked) private var tableNumbers: [SQLName: UInt32] = [:]
  /// The reading of the registry to which these shape numbers belong.
  @exclusivity(unchecked) private var reading: ShapeRegistry.Reading?
  /// The key of the last change.
  @exclusivity(unchecked) private(set) var key = ByteBuffer()

  /// Clears everything for the next transaction.
  func removeAll() {
    index.removeAll()
    rows.removeAll(keepingCapacity: true)
  }

  /// Writes the key of a change into `key`.
  ///
  /// - Returns: the number of its table; `nil` for an unknown shape.
  func encodeKey(of change: ChangeView, _ registry: ShapeRegistry) throws(LogError) -> UInt32? {
    guard let known = encoder(change.shapeID, registry) else { return nil }
    key.removeAll()
    try known.encoder.encode(change.operation, image: change.image, into: &key)
    return known.table
  }

  private func encoder(_ id: UInt32, _ registry: ShapeRegistry) -> Encoder? {
    if reading !== registry.reading {
      reading = registry.reading
      encoders.removeAll()
    }
    if let known = encoders[id] { return known }
    guard let shape = registry.shapes[id] else { return nil }
    let name = SQLName(shape.table)
    let table = tableNumbers[name, default: UInt32(tableNumbers.count)]
    tableNumbers[name] = table
    let encoder = Encoder(encoder: RowKeyEncoder(shape: shape), table: table)
    encoders[id] = encoder
    return encoder
  }

  func note(
    _ operation: ChangeOperation, _ key: UnsafeRawBufferPointer, table: UInt32, isUndone: Bool
  ) {
    let place = index.insert(key, table: table).number
    if place == rows.count { rows.append(Row()) }
    rows[place].touches += 1
    if isUndone {
      rows[place].isUndone = true
    } else if operation != .update {
      rows[place].isPut = true
    }
  }

  /// Whether each row was changed once, by a statement that was not undone.
  var isPlain: Bool { rows.allSatisfy { $0.touches == 1 && !$0.isUndone } }

  /// Returns what to do with a change; a row is compared only once.
  func verdict(_ key: UnsafeRawBufferPointer, table: UInt32) -> Verdict {
    guard let place = index.number(of: key, table: table) else { return .done }
    if rows[place].touches == 1, !rows[place].isUndone { return .copied }
    guard rows[place].touches > 0 else { return .done }
    rows[place].touches = 0
    return .compared(isPut: rows[place].isPut)
  }
}
