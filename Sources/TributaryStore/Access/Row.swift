import TributaryCore

/// A row of a result.
public struct Row: Hashable, Sendable {
  /// The names of the columns, as in the query.
  public let columns: [String]
  /// The values, in the order of the columns.
  public let values: [Value]

  /// Returns the value of a column.
  ///
  /// - Precondition: the column exists; `value(at:)` throws if it does not.
  public subscript(index: Int) -> Value {
    precondition(
      values.indices.contains(index), "there is no column \(index): the row has \(values.count)")
    return values[index]
  }

  /// Returns the value of a column, counted from 0.
  ///
  /// - Throws: `StoreError` with the code `misuse` if there is no such column.
  public func value(at index: Int) throws(StoreError) -> Value {
    guard values.indices.contains(index) else {
      throw StoreError(
        .misuse, "there is no column \(index): the row has \(values.count)", path: "",
        remedy: "columns count from 0")
    }
    return values[index]
  }

  /// The value of the first column of that name; `nil` if there is none.
  public subscript(name: String) -> Value? {
    Self.index(of: name, in: columns).map { values[$0] }
  }

  /// Returns the position of the first column of a name, which is compared byte by byte, as SQLite does.
  static func index(of name: String, in columns: [String]) -> Int? {
    columns.firstIndex { $0.utf8.elementsEqual(name.utf8) }
  }

  /// Returns the integer in a column; `nil` if there is no such column or it contains something
  /// else.
  public func integer(_ name: String) -> Int64? {
    if case .integer(let integer) = self[name] { integer } else { nil }
  }

  /// Returns the number in a column; `nil` if there is no such column or it contains something
  /// else.
  public func real(_ name: String) -> Double? {
    switch self[name] {
    case .real(let real): real
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  /// Returns the text in a column, with invalid UTF-8 repaired; `nil` if there is no such column or
  /// it contains something else.
  public func string(_ name: String) -> String? {
    if case .text(let bytes) = self[name] { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// Returns the blob in a column; `nil` if there is no such column or it contains something else.
  public func blob(_ name: String) -> [UInt8]? {
    if case .blob(let bytes) = self[name] { bytes } else { nil }
  }
}

extension Row: CustomStringConvertible {
  /// The values with their names: `id: 1, title: 'Blue'`.
  public var description: String {
    zip(columns, values).map { "\($0): \($1)" }.joined(separator: ", ")
  }
}
