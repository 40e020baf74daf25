/// SQL read from a file.
enum SQLText {
  /// Decodes SQL.
  ///
  /// - Parameter source: the source of the bytes, for the error.
  /// - Throws: for bytes that are not valid text: repaired, they would be other values.
  static func decode(_ bytes: [UInt8], _ source: String) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw TextError(
        "\(source): the SQL is not valid UTF-8; convert it, and write other bytes as "
          + "CAST(x'..' AS TEXT)"
      )
    }
    guard !bytes.contains(0) else {
      throw TextError("\(source): the SQL contains a NUL; write it as char(0)")
    }
    return text
  }
}
