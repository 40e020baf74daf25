internal import TributaryCore

/// Values of every kind that SQLite stores, with awkward ones frequent.
struct RandomValues {
  private static let integers: [Int64] = [
    0, 1, 2, -1, 127, -128, 32_767, 8_388_608, -2_147_483_649, 1 << 47, 1 << 53 + 1, .max, .min,
  ]
  private static let reals: [Double] = [
    0.1, -0.0, 0.0, 1.0, -2.0, 1.5, .infinity, -.infinity, 1e300,
    .leastNonzeroMagnitude, 9_223_372_036_854_775_808,
  ]
  private static let texts: [[UInt8]] = [
    [], Array("a".utf8), Array("A".utf8), Array("1".utf8), Array("1.0".utf8), Array("0x10".utf8),
    Array("a\0b".utf8), [0], [0xFF, 0xFE], [0xC3, 0x28], [0xED, 0xA0, 0x80], Array("🦆".utf8),
    Array("é".utf8), Array("e\u{301}".utf8), Array("it's; -- \n".utf8), Array("trailing  ".utf8),
  ]

  /// Returns a value for a column that is not in a key.
  static func any(using generator: inout some RandomNumberGenerator) -> Value {
    switch generator.number(0...9) {
    case 0: .null
    case 1: .integer(generator.pick(integers))
    case 2: .integer(Int64.random(in: .min ... .max, using: &generator))
    case 3: .real(generator.pick(reals))
    case 4: .real(Double.random(in: -1000...1000, using: &generator))
    case 5: .text(generator.pick(texts))
    case 6: .text(Array(String(generator.number(-9...99)).utf8))
    case 7: .blob(generator.bytes(count: generator.number(0...20)))
    case 8 where generator.once(in: 8): .blob(generator.bytes(count: generator.number(300...9000)))
    // Few values, so that equal ones occur together.
    default: .integer(Int64(generator.number(0...3)))
    }
  }

  /// Returns a value for a column of a key. There are few such values, so that devices collide.
  static func key(_ kind: RandomTable.KeyKind, using generator: inout some RandomNumberGenerator)
    -> Value
  {
    switch kind {
    case .integer: generator.pick([1, 2, 3, 4, 5, 6, 0, -1, .integer(.max)])
    case .text: generator.pick(["a", "b", "A", "", "a\0b", "a\0c", "🦆", .text([0xFF])])
    case .nocase: generator.pick(["a", "A", "b", "B", "é", "É", "a\0b", "A\0c", "[", "{"])
    case .rtrim: generator.pick(["a", "a ", "a  ", "b", " a", "", "  ", "a\t"])
    case .blob: generator.pick([.blob([]), .blob([0]), .blob([0, 0]), .blob([97]), .blob([255])])
    case .untyped: generator.pick([1, 1.0, "1", .blob([49]), 0, -0.0, 1.5, .real(.infinity), "a"])
    }
  }
}
