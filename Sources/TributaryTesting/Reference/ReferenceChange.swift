package import TributaryCore

/// What one transaction did to one row.
package struct ReferenceChange: Sendable {
  package enum Operation: String, Sendable {
    case insert, update, delete
    /// An insert over a row that existed before the transaction.
    case replace
  }

  package var operation: Operation
  package var table: String

  /// The key, in any spelling that is the same key under the collations of its columns.
  package var key: [Value]

  /// The columns of an insert or a replace, the changed columns of an update, and none of a delete. An update
  /// never has a column of the key: a key that is spelled differently makes it a replace. For a counter, an
  /// update contains the amount of the change.
  package var values: [String: Value]

  package init(
    _ operation: Operation, table: String, key: [Value], values: [String: Value] = [:]
  ) {
    precondition(operation != .delete || values.isEmpty, "a delete has no values")
    self.operation = operation
    self.table = table
    self.key = key
    self.values = values
  }
}

extension ReferenceChange {
  /// Whether the row lives afterwards, regardless of what was there before.
  package var putsRow: Bool { operation == .insert || operation == .replace }
}

extension ReferenceChange: CustomStringConvertible {
  package var description: String {
    let key = key.map(\.literal).joined(separator: ", ")
    let values = values.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value.literal)" }
    return "\(operation) \(table) (\(key)) \(values.joined(separator: ", "))"
  }
}

extension ReferenceChange: Equatable {
  /// Compares value by value, to the bit, including the spelling of the key.
  package static func == (a: ReferenceChange, b: ReferenceChange) -> Bool {
    a.operation == b.operation && a.table == b.table && a.key.count == b.key.count
      && zip(a.key, b.key).allSatisfy { $0.isIdentical(to: $1) } && a.values.count == b.values.count
      && a.values.allSatisfy { name, value in b.values[name]?.isIdentical(to: value) ?? false }
  }
}
