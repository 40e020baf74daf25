internal import Glibc

/// A POSIX extended regular expression, over bytes. *regcomp(3)*, *regexec(3)*
final class RegularExpression {
  private var whole = regex_t()
  /// The expression without positions, which is faster.
  private var test = regex_t()

  /// Compiles a pattern.
  ///
  /// - Throws: `PatternError` with the system's message about the pattern.
  init(_ pattern: String, ignoringCase: Bool) throws(PatternError) {
    let flags = REG_EXTENDED | (ignoringCase ? REG_ICASE : 0)
    try Self.compile(&whole, pattern, flags)
    do throws(PatternError) {
      try Self.compile(&test, pattern, flags | REG_NOSUB)
    } catch {
      regfree(&whole)
      throw error
    }
  }

  deinit {
    regfree(&whole)
    regfree(&test)
  }

  private static func compile(
    _ expression: inout regex_t, _ pattern: String, _ flags: Int32
  ) throws(PatternError) {
    let code = regcomp(&expression, pattern, flags)
    if code != 0 { throw PatternError(message(code, &expression)) }
  }

  private static func message(_ code: Int32, _ expression: inout regex_t) -> String {
    var text = [CChar](repeating: 0, count: Int(regerror(code, &expression, nil, 0)) + 1)
    regerror(code, &expression, &text, text.count)
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }
  }

  /// Whether it matches anywhere, even if there are NULs.
  ///
  /// - Throws: `PatternError` if the system lacks memory.
  func matches(_ bytes: UnsafeRawBufferPointer) throws(PatternError) -> Bool {
    try run(&test, bytes) != nil
  }

  /// Returns the position of the first match.
  ///
  /// - Throws: as `matches` does.
  func firstMatch(in bytes: UnsafeRawBufferPointer) throws(PatternError) -> Range<Int>? {
    try run(&whole, bytes)
  }

  private func run(
    _ expression: inout regex_t, _ bytes: UnsafeRawBufferPointer
  ) throws(PatternError) -> Range<Int>? {
    guard bytes.count <= Int(Int32.max) else {
      throw PatternError("a value of \(bytes.count) bytes is too long for a regular expression")
    }
    // The position states the end of the bytes, which may contain NULs.
    var place = regmatch_t(rm_so: 0, rm_eo: regoff_t(bytes.count))
    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.nothing
    let code = regexec(&expression, start, 1, &place, REG_STARTEND)
    if code == _REG_NOMATCH.rawValue { return nil }
    guard code == 0 else { throw PatternError(Self.message(code, &expression)) }
    return Int(place.rm_so)..<Int(place.rm_eo)
  }

  // An empty value may have no address; nothing is read from the placeholder.
  private static var nothing: UnsafePointer<CChar> {
    UnsafePointer(bitPattern: 1).unsafelyUnwrapped
  }
}
