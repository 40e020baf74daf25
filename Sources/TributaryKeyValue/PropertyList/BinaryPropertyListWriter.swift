/// Writes arrays and dictionaries in Apple's binary format for property lists (`bplist00`), which many
/// programs read. The same value always gives the same bytes: members are in order of their keys.
///
/// | part | contents |
/// |---|---|
/// | header | `bplist00` |
/// | objects | each with a marker: its kind in the upper 4 bits, its size in the lower 4 |
/// | offsets | where each object begins, big-endian, in as few bytes as the last one needs |
/// | trailer | 32 bytes: 6 unused, size of an offset, size of a reference, number of objects, top object, start of the offsets |
package struct BinaryPropertyListWriter {
  private enum Object {
    case leaf(PropertyListValue)
    case array([Int])
    case dictionary([(key: Int, value: Int)])
  }

  private var objects: [Object] = []
  private var bytes: [UInt8] = []

  /// Returns the bytes of a value.
  package static func bytes(of value: PropertyListValue) -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    let top = writer.add(value)
    return writer.write(top: top)
  }

  /// Adds a value and everything in it, and returns its number.
  private mutating func add(_ value: PropertyListValue) -> Int {
    let object: Object
    switch value {
    case .array(let elements): object = .array(elements.map { add($0) })
    case .dictionary(let members):
      object = .dictionary(
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
          (add(.string($0.key)), add($0.value))
        })
    default: object = .leaf(value)
    }
    objects.append(object)
    return objects.count - 1
  }

  private mutating func write(top: Int) -> [UInt8] {
    bytes = Array("bplist00".utf8)
    let width = Self.width(objects.count)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .leaf(let value): write(value)
      case .array(let elements):
        mark(0xA0, elements.count)
        for element in elements { number(element, width) }
      case .dictionary(let members):
        mark(0xD0, members.count)
        for member in members { number(member.key, width) }
        for member in members { number(member.value, width) }
      }
    }
    let start = bytes.count
    let offsetWidth = Self.width(start)
    for offset in offsets { number(offset, offsetWidth) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(width)]
    number(objects.count, 8)
    number(top, 8)
    number(start, 8)
    return bytes
  }

  private mutating func write(_ value: PropertyListValue) {
    switch value {
    case .bool(let bool): bytes.append(bool ? 0x09 : 0x08)
    case .integer(let integer):
      switch integer {
      case 0...0xFF:
        bytes.append(0x10)
        number(Int(integer), 1)
      case 0...0xFFFF:
        bytes.append(0x11)
        number(Int(integer), 2)
      case 0...0xFFFF_FFFF:
        bytes.append(0x12)
        number(Int(integer), 4)
      default:
        bytes.append(0x13)
        number(Int(integer), 8)
      }
    case .real(let real):
      bytes.append(0x23)
      number(Int(truncatingIfNeeded: real.bitPattern), 8)
    case .date(let date):
      bytes.append(0x33)
      number(Int(truncatingIfNeeded: date.bitPattern), 8)
    case .data(let data):
      mark(0x40, data.count)
      bytes += data
    case .string(let string):
      if string.utf8.allSatisfy({ $0 < 0x80 }) {
        mark(0x50, string.utf8.count)
        bytes += string.utf8
      } else {
        mark(0x60, string.utf16.count)
        for unit in string.utf16 { number(Int(unit), 2) }
      }
    case .array, .dictionary: preconditionFailure("no leaf")
    }
  }

  private mutating func mark(_ kind: UInt8, _ count: Int) {
    if count < 15 { return bytes.append(kind | UInt8(count)) }
    bytes.append(kind | 0x0F)
    write(.integer(Int64(count)))
  }

  private mutating func number(_ number: Int, _ width: Int) {
    for place in stride(from: (width - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> place))
    }
  }

  private static func width(_ number: Int) -> Int {
    number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
  }
}
