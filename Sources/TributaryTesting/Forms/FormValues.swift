internal import TributaryCore

/// Values at the limits of what SQLite stores, in addition to those of `RandomValues`.
enum FormValues {
  private static let powers: [Int64] = [7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 53, 62].map {
    1 << $0
  }

  // Without -2^63, the only real that triggers cannot distinguish from an integer of the same value.
  private static let reals: [Double] = [
    .nan, -0.0, 0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    .leastNormalMagnitude.nextDown,
    .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity,
    -.infinity, 0x1p53,
    0x1p53 + 2, 0x1p63, 0x1p63.nextDown, 0x1p31, 0.1 + 0.2, 1e15, 1e-280,
  ]

  private static let texts: [[UInt8]] = [
    [], [0], [0, 0], Array("a\0b".utf8), Array("a\0".utf8), [0xFF], [0xC0, 0x80],
    [0xED, 0xA0, 0x80], [0xF8, 0x88],
    [0x61, 0xC3], [0xEF, 0xBB, 0xBF, 0x61], [0xEF, 0xBF, 0xBF], Array("9223372036854775808".utf8),
    Array(" 12 ".utf8), Array("1e3".utf8), Array("-0".utf8), Array("0.0".utf8), Array("inf".utf8),
    Array("NULL".utf8),
    Array("a  ".utf8), Array("A".utf8), Array("'; DROP TABLE t; --".utf8), Array("ÄÖ".utf8),
    Array("äö".utf8),
  ]

  /// Sizes around those at which something changes: serial types of one byte, journalled values, pages.
  private static let sizes = [0, 1, 57, 58, 127, 128, 1_000, 4_095, 4_096, 4_097, 9_000]

  /// Returns any value.
  static func any(using random: inout some RandomNumberGenerator) -> Value {
    switch random.number(0...9) {
    case 0: .null
    case 1, 2: .integer(integer(using: &random))
    case 3, 4: .real(random.pick(reals))
    case 5: .text(random.pick(texts))
    case 6 where random.once(in: 4): .text(letters(random.pick(sizes), using: &random))
    case 7: .blob(random.bytes(count: random.pick(random.once(in: 4) ? sizes : [0, 1, 2])))
    default: RandomValues.any(using: &random)
    }
  }

  /// Returns a value that usually suits a column with a type of STRICT tables.
  static func of(_ type: String, using random: inout some RandomNumberGenerator) -> Value {
    if random.once(in: 12) { return any(using: &random) }
    return switch type {
    case "INT", "INTEGER": .integer(integer(using: &random))
    case "REAL": .real(random.pick(reals))
    case "TEXT": .text(random.pick(texts))
    case "BLOB": .blob(random.bytes(count: random.number(0...9)))
    default: any(using: &random)
    }
  }

  /// Returns a value for a column of a key. There are few such values, so that writes collide.
  static func key(_ type: String, using random: inout some RandomNumberGenerator) -> Value {
    switch type {
    case "INT", "INTEGER":
      random.pick([1, 2, 3, 4, 0, -1, .integer(.max - 1), .integer(.min), .integer(1 << 53 + 1)])
    case "REAL": random.pick([1.0, 2.0, 0.5, -0.0, .real(.infinity), .real(0x1p63)])
    case "TEXT":
      random.pick([
        "a", "A", "a ", "b", "", "a\0b", "a\0C", "Ä", "ä", .text([0xFF]), .text([0x61, 0xC3]),
      ])
    case "BLOB": random.pick([.blob([]), .blob([0]), .blob([0x61]), .blob([0xFF, 0])])
    default:
      random.pick([
        1, 1.0, "1", .blob([0x31]), "a", "A", "a ", 2, 1.5, .integer(1 << 53 + 1), .real(0x1p53),
        .real(-.infinity),
        .text([0xFF]), "", .blob([]), -0.0, "01", " 1",
      ])
    }
  }

  private static func integer(using random: inout some RandomNumberGenerator) -> Int64 {
    if random.once(in: 6) { return random.pick([.min, .max, .min + 1, 0, 1, 2]) }
    let power = random.pick(powers)
    return (random.once(in: 2) ? power : -power) + Int64(random.number(-1...1))
  }

  private static func letters(
    _ count: Int, using random: inout some RandomNumberGenerator
  ) -> [UInt8] {
    (0..<count).map { _ in random.pick(Array("aA z\u{1}".utf8)) }
  }
}
