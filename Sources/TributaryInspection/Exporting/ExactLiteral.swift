internal import Glibc
internal import TributaryCore
internal import TributaryLog

/// Values and names as SQL that SQLite reads back exactly, bit for bit.
enum ExactLiteral {
  static func append(_ value: ValueView, to sql: inout [UInt8]) {
    switch value.kind {
    case .null, .absent: sql += "NULL".utf8
    case .integer: sql += String(value.integer).utf8
    case .real: append(value.real, to: &sql)
    case .text: append(text: value.bytes, to: &sql)
    case .blob: append(blob: value.bytes, to: &sql)
    }
  }

  /// Appends a name in quotes.
  static func append(name: String, to sql: inout [UInt8]) {
    sql.append(UInt8(ascii: "\""))
    for byte in name.utf8 {
      if byte == UInt8(ascii: "\"") { sql.append(byte) }
      sql.append(byte)
    }
    sql.append(UInt8(ascii: "\""))
  }

  private static func append(text: UnsafeRawBufferPointer, to sql: inout [UInt8]) {
    // SQL ends at a NUL, and tools read a script as UTF-8.
    guard !text.contains(0), String(validating: text, as: UTF8.self) != nil else {
      sql += "CAST(".utf8
      append(blob: text, to: &sql)
      sql += " AS TEXT)".utf8
      return
    }
    let quote = UInt8(ascii: "'")
    sql.append(quote)
    var rest = text[...]
    while let end = rest.firstIndex(of: quote) {
      sql.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[...end]))
      sql.append(quote)
      rest = rest[(end + 1)...]
    }
    sql.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest))
    sql.append(quote)
  }

  private static func append(blob: UnsafeRawBufferPointer, to sql: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    sql += "x'".utf8
    sql.reserveCapacity(sql.count + 2 * blob.count + 1)
    for byte in blob {
      sql.append(digits[Int(byte >> 4)])
      sql.append(digits[Int(byte & 15)])
    }
    sql.append(UInt8(ascii: "'"))
  }

  /// Below this, SQLite before 3.43 rounds some decimals wrongly, however many digits they have.
  private static let leastDecimal = 1e-280

  private static func append(_ real: Double, to sql: inout [UInt8]) {
    guard real.isFinite else {
      sql += (real < 0 ? "-9e999" : "9e999").utf8
      return
    }
    // With ten binary places and few digits before them, the decimals are exact.
    if real.magnitude < 1e5, real * 1024 == (real * 1024).rounded() || real == 0 {
      sql += "\(real)".utf8
    } else if real.magnitude >= leastDecimal {
      append(digits: real, to: &sql)
    } else {
      append(tiny: real, to: &sql)
    }
  }

  /// Appends decimal digits, one more than distinguishes numbers, so that rounding twice while
  /// reading does no harm.
  private static func append(digits real: Double, to sql: inout [UInt8]) {
    var text = [CChar](repeating: 0, count: 40)
    let count = withVaList([real]) { vsnprintf(&text, text.count, "%.18g", $0) }
    let digits = text.prefix(Int(count)).map { UInt8(bitPattern: $0) }
    sql += digits
    if !digits.contains(where: { ".e".utf8.contains($0) }) { sql += ".0".utf8 }
  }

  /// Appends an integer divided by powers of two, each step of which is exact.
  private static func append(tiny real: Double, to sql: inout [UInt8]) {
    var significand = real
    var exponent = 0
    while significand != significand.rounded() {
      significand *= 2
      exponent += 1
    }
    sql += "(\(Int64(significand))".utf8
    while exponent > 0 {
      let step = min(exponent, 62)
      sql += "/\(UInt64(1) << UInt64(step)).0".utf8
      exponent -= step
    }
    sql.append(UInt8(ascii: ")"))
  }
}
