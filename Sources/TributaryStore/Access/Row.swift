import TributaryCore

/// A row of a result.
public struct Row: Sendable {
  /// The names of the columns, as the query gives them.
  public let columns: [String]
  public let values: [Value]

  /// - Precondition: there is such a column; `value(at:)` throws where there is none.
  public subscript(index: Int) -> Value {
    precondition(
      values.indices.contains(index), "there is no column \(index): the row has \(values.count)")
    return values[index]
  }

  /// The value of a column, from 0.
  ///
  /// - Throws: `StoreError.misuse` when there is no such column.
  public func value(at index: Int) throws(StoreError) -> Value {
    guard values.indices.contains(index) else {
      throw StoreError(
        .misuse, "there is no column \(index): the row has \(values.count)", path: "",
        remedy: "columns count from 0")
    }
    return values[index]
  }

  /// The value of the first column of that name; `nil` when there is none.
  public subscript(name: String) -> Value? {
    columns.firstIndex { $0.utf8.elementsEqual(name.utf8) }.map { values[$0] }
  }

  /// The integer in a column; `nil` when there is no such column or it holds something else.
  public func integer(_ name: String) -> Int64? {
    if case .integer(let integer) = self[name] { integer } else { nil }
  }

  /// The number in a column; `nil` when there is no such column or it holds something else.
  public func real(_ name: String) -> Double? {
    switch self[name] {
    case .real(let real): real
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  /// The text in a column, with invalid UTF-8 repaired; `nil` when there is no such column or it
  /// holds something else.
  public func string(_ name: String) -> String? {
    if case .text(let bytes) = self[name] { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// The blob in a column; `nil` when there is no such column or it holds something else.
  public func blob(_ name: String) -> [UInt8]? {
    if case .blob(let bytes) = self[name] { bytes } else { nil }
  }
}
