import TributaryCore
import TributaryLog

extension Conflict.Cell {
  /// Names and values in turn, as the log format has them.
  static func encoded(_ cells: [Conflict.Cell]) -> [UInt8] {
    var buffer = ByteBuffer()
    for cell in cells {
      buffer.append(Value.string(cell.column))
      buffer.append(cell.value)
    }
    return Array(buffer.bytes)
  }

  static func decoded(_ bytes: UnsafeRawBufferPointer) throws(LogError) -> [Conflict.Cell] {
    var cursor = ImageCursor(bytes)
    var cells: [Conflict.Cell] = []
    while !cursor.isAtEnd {
      guard case .text(let name)? = try cursor.next().value else { break }
      cells.append(
        Conflict.Cell(
          column: String(decoding: name, as: UTF8.self), value: try cursor.next().value ?? .null))
    }
    return cells
  }
}
