/// Reads Apple's binary format for property lists; see `BinaryPropertyListWriter`. Other programs may have
/// written it, so nothing in it is trusted: objects that contain themselves, or that expand to more than a
/// store can hold, are refused.
package struct BinaryPropertyListReader {
  private let bytes: [UInt8]
  private var start = 0
  private var offsetWidth = 0
  private var width = 0
  private var count = 0
  /// The number of further objects that may be expanded.
  private var rest = objectLimit

  /// As much as fits into a store, with a margin.
  private static let objectLimit = 1 << 20

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the value; `nil` for bytes that are not a property list.
  package static func value(_ bytes: [UInt8]) -> PropertyListValue? {
    var reader = BinaryPropertyListReader(bytes)
    return reader.read()
  }

  private mutating func read() -> PropertyListValue? {
    guard bytes.count >= 40, bytes.starts(with: "bplist0".utf8) else { return nil }
    let trailer = bytes.count - 32
    offsetWidth = Int(bytes[trailer + 6])
    width = Int(bytes[trailer + 7])
    guard 1...8 ~= offsetWidth, 1...8 ~= width, let count = number(trailer + 8, 8),
      let top = number(trailer + 16, 8), let start = number(trailer + 24, 8),
      start >= 8, start <= trailer, count > 0, count <= (trailer - start) / offsetWidth
    else { return nil }
    self.start = start
    self.count = count
    return object(top, depth: 0)
  }

  /// Reads an unsigned number; `nil` if it is outside the bytes, or does not fit.
  private func number(_ place: Int, _ width: Int) -> Int? {
    guard place >= 0, width > 0, place <= bytes.count - width else { return nil }
    var number: UInt64 = 0
    for byte in bytes[place..<place + width].suffix(8) { number = number << 8 | UInt64(byte) }
    guard bytes[place..<place + width].dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
    return Int(exactly: number)
  }

  private func bits(_ place: Int, _ width: Int) -> UInt64? {
    guard place <= bytes.count - width else { return nil }
    return bytes[place..<place + width].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func object(_ index: Int, depth: Int) -> PropertyListValue? {
    rest -= 1
    guard rest >= 0, depth <= PropertyListValue.depthLimit, index < count,
      let place = number(start + index * offsetWidth, offsetWidth), place >= 8, place < start
    else { return nil }
    let size = Int(bytes[place] & 0x0F)
    switch bytes[place] >> 4 {
    case 0x0: return size == 8 ? .bool(false) : size == 9 ? .bool(true) : nil
    case 0x1: return integer(place + 1, size)
    case 0x2: return real(place + 1, size).map { .real($0) }
    case 0x3: return size == 3 ? real(place + 1, size).map { .date($0) } : nil
    case let kind:
      guard let (count, contents) = extent(place, size) else { return nil }
      return collection(kind, count, contents, depth)
    }
  }

  private func integer(_ place: Int, _ size: Int) -> PropertyListValue? {
    // Integers are unsigned in fewer than 8 bytes and signed in 8. Unsigned integers of 8 bytes take 16.
    guard size <= 4, let high = size == 4 ? bits(place, 8) : 0,
      let low = bits(size == 4 ? place + 8 : place, min(1 << size, 8))
    else { return nil }
    if size < 4 { return .integer(Int64(bitPattern: low)) }
    if high == 0 { return Int64(exactly: low).map { .integer($0) } }
    return high == .max && low >> 63 == 1 ? .integer(Int64(bitPattern: low)) : nil
  }

  private func real(_ place: Int, _ size: Int) -> Double? {
    switch size {
    case 2: bits(place, 4).map { Double(Float(bitPattern: UInt32($0))) }
    case 3: bits(place, 8).map { Double(bitPattern: $0) }
    default: nil
    }
  }

  /// Returns the number of elements of an object, and where they begin.
  private func extent(_ place: Int, _ size: Int) -> (count: Int, contents: Int)? {
    if size < 15 { return (size, place + 1) }
    guard place + 1 < bytes.count, bytes[place + 1] >> 4 == 1 else { return nil }
    let exponent = Int(bytes[place + 1] & 0x0F)
    guard exponent <= 3, let count = number(place + 2, 1 << exponent), count <= bytes.count
    else { return nil }
    return (count, place + 2 + (1 << exponent))
  }

  private mutating func collection(
    _ kind: UInt8, _ count: Int, _ contents: Int, _ depth: Int
  ) -> PropertyListValue? {
    let unit = kind == 0x6 ? 2 : kind == 0xA ? width : kind == 0xD ? 2 * width : 1
    guard contents <= start, count <= (start - contents) / unit else { return nil }
    let slice = bytes[contents..<contents + count * unit]
    switch kind {
    case 0x4: return .data(Array(slice))
    case 0x5:
      return slice.allSatisfy { $0 < 0x80 } ? .string(String(decoding: slice, as: UTF8.self)) : nil
    case 0x6:
      let units = (0..<count).map {
        UInt16(bytes[contents + 2 * $0]) << 8 | UInt16(bytes[contents + 2 * $0 + 1])
      }
      return String(validating: units, as: UTF16.self).map { .string($0) }
    case 0xA:
      var elements: [PropertyListValue] = []
      for place in 0..<count {
        guard let index = number(contents + place * width, width),
          let element = object(index, depth: depth + 1)
        else { return nil }
        elements.append(element)
      }
      return .array(elements)
    case 0xD:
      var members: [String: PropertyListValue] = [:]
      for place in 0..<count {
        guard let key = number(contents + place * width, width),
          let index = number(contents + (count + place) * width, width),
          case .string(let name)? = object(key, depth: depth + 1),
          let value = object(index, depth: depth + 1)
        else { return nil }
        members[name] = value
      }
      return .dictionary(members)
    default: return nil
    }
  }
}
