/// Unsigned LEB128: seven bits a byte, least significant first, at most ten bytes, in the shortest
/// form.
enum VariableNumber {
  enum Result {
    case value(UInt64, end: Int)
    /// The bytes end inside the number.
    case incomplete
    /// The number has more than 64 bits, or is not in the shortest form.
    case malformed
  }

  static func read(_ bytes: UnsafeRawPointer, from start: Int, to end: Int) -> Result {
    var value: UInt64 = 0
    var offset = start
    while offset < end {
      let byte = bytes.load(fromByteOffset: offset, as: UInt8.self)
      let shift = 7 * (offset - start)
      if shift == 63, byte > 1 { return .malformed }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      offset += 1
      if byte < 0x80 {
        return byte == 0 && offset - start > 1 ? .malformed : .value(value, end: offset)
      }
    }
    return .incomplete
  }
}
