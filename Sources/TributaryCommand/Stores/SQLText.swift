/// SQL read from a file.
enum SQLText {
  /// Decodes SQL.
  ///
  /// - Parameter source: where the bytes come from, for the error.
  /// - Throws: an error for bytes that are not valid text: repairing them would change values.
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
