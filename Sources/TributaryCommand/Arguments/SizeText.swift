/// Reads and writes sizes in bytes: K, M and G stand for 2^10, 2^20 and 2^30.
enum SizeText {
  private static let units: [(letter: Character, shift: Int)] = [("K", 10), ("M", 20), ("G", 30)]

  /// Returns a size given on the command line.
  ///
  /// - Returns: `nil` if the option was not given.
  /// - Throws: `UsageError` for text that is not a size.
  static func bytes(
    _ arguments: Arguments, _ option: CommandOption
  ) throws(UsageError) -> UInt64? {
    guard let text = arguments[option] else { return nil }
    if let bytes = bytes(text) { return bytes }
    throw UsageError(
      "--\(option.long) takes bytes, such as 500000, 64M or 2G, not '\(text)'")
  }

  /// Reads a number of bytes, with a letter for its unit or without one; `nil` for anything else.
  static func bytes(_ text: String) -> UInt64? {
    let unit = text.last.flatMap { last in
      units.first { $0.letter.lowercased() == last.lowercased() }
    }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt64(digits)
    else { return nil }
    let (bytes, overflows) = number.multipliedReportingOverflow(by: 1 << (unit?.shift ?? 0))
    return overflows || bytes > UInt64(Int64.max) ? nil : bytes
  }

  /// Returns a size as readable text, such as `17 bytes` or `1.5 MB`.
  static func text(_ bytes: UInt64) -> String {
    guard let unit = units.last(where: { bytes >> $0.shift > 0 }) else {
      return counted(bytes, "byte")
    }
    // Rounded down to tenths.
    let tenths = ((bytes >> (unit.shift - 10)) * 10) >> 10
    return "\(tenths / 10).\(tenths % 10) \(unit.letter)B"
  }
}
