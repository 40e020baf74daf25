import TributaryCore
import TributaryLog

extension Conflict.Cell {
  /// Encodes names, values and winners in turn, in the log format. A winner is a blob of the peer, the
  /// sequence number and the time; NULL if there is none; 0 if it is the winner of the conflict.
  ///
  /// - Parameter winner: the winner of the conflict.
  static func encoded(_ cells: [Conflict.Cell], winner: Conflict.Side? = nil) -> [UInt8] {
    var buffer = ByteBuffer()
    for cell in cells {
      buffer.append(Value.string(cell.column))
      buffer.append(cell.value)
      let isCommon = winner != nil && cell.winner == winner
      buffer.append(isCommon ? .integer(0) : cell.winner.map { .blob($0.bytes) } ?? .null)
    }
    return Array(buffer.bytes)
  }

  /// Decodes cells.
  ///
  /// - Parameter winner: the winner of the conflict.
  static func decoded(
    _ bytes: UnsafeRawBufferPointer, winner: Conflict.Side? = nil
  ) throws(LogError) -> [Conflict.Cell] {
    var cursor = ImageCursor(bytes)
    var cells: [Conflict.Cell] = []
    while !cursor.isAtEnd {
      guard case .text(let name)? = try cursor.next().value else { break }
      let value = try cursor.next().value ?? .null
      let own = try cursor.next()
      cells.append(
        Conflict.Cell(
          column: String(decoding: name, as: UTF8.self), value: value,
          winner: own.kind == .integer ? winner : Conflict.Side(bytes: own.bytes)))
    }
    return cells
  }

  /// Returns the encoded cells after the store has taken another identity.
  static func renamed(
    _ bytes: UnsafeRawBufferPointer, by renaming: Renaming
  ) throws(LogError) -> [UInt8] {
    try recoded(bytes) { cell in
      var cell = cell
      cell.winner = cell.winner.map(renaming.renamed)
      return cell
    }
  }

  /// Returns the encoded cells with replacements; cells for which `replacement` returns `nil` are left out.
  static func recoded(
    _ bytes: UnsafeRawBufferPointer, _ replacement: (Conflict.Cell) -> Conflict.Cell?
  ) throws(LogError) -> [UInt8] {
    // Stands for the winner of the conflict, which has columns of its own in the table.
    let common = Conflict.Side(
      peer: PeerIdentity(high: 0, low: 0), sequence: .zero, time: .zero)
    return encoded(try decoded(bytes, winner: common).compactMap(replacement), winner: common)
  }
}

extension Conflict.Side {
  /// 32 bytes: the peer, the sequence number and the time, most significant bytes first.
  fileprivate var bytes: [UInt8] {
    peer.bytes
      + withUnsafeBytes(of: (sequence.rawValue.bigEndian, time.rawValue.bigEndian)) { Array($0) }
  }

  fileprivate init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 32, let peer = PeerIdentity(bytes: bytes) else { return nil }
    func number(_ offset: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    guard number(16) <= SequenceNumber.max.rawValue else { return nil }
    self.init(
      peer: peer, sequence: SequenceNumber(number(16)), time: HybridTime(rawValue: number(24)))
  }
}
