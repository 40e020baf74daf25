public import TributaryCore

extension BorrowedRow {
  /// The value of the first column of that name; `nil` if there is none.
  public subscript(name: String) -> Value? {
    guard let index = index(of: name) else { return nil }
    return self[index]
  }

  /// Returns the integer in a column; `nil` if there is no such column or it contains something else.
  public func integer(_ name: String) -> Int64? {
    guard let index = index(of: name) else { return nil }
    return integer(at: index)
  }

  /// Returns the number in a column; `nil` if there is no such column or it contains something else.
  public func real(_ name: String) -> Double? {
    guard let index = index(of: name) else { return nil }
    return real(at: index)
  }

  /// Returns the text in a column, with invalid UTF-8 repaired; `nil` if there is no such column or it contains something
  /// else.
  public func string(_ name: String) -> String? {
    guard let index = index(of: name) else { return nil }
    return string(at: index)
  }

  /// Returns the blob in a column; `nil` if there is no such column or it contains something else.
  public func blob(_ name: String) -> [UInt8]? { self[name]?.blobValue }

  /// Returns the value of a column as a type that can be read back; `nil` if there is no such column, or it contains
  /// something else.
  public func value<Read: ValueReadable>(_ name: String, as type: Read.Type = Read.self) -> Read? {
    guard let index = index(of: name) else { return nil }
    return value(at: index, as: type)
  }

  /// Returns the row as a value of a type: each property is read from the column with its name.
  ///
  /// - Throws: `RowCodingError`, which names the column and the type.
  public func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    try shared.decode(type, statement)
  }

  private func index(of name: String) -> Int? { Row.index(of: name, in: columns) }
}
