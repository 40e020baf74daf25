/// How the rows of a table are numbered, as far as births ask.
package struct NumberedTable: Sendable {
  /// Its name.
  package var name: String
  /// How many random bits, below a leading 1, a displaced row's new number has; `nil` gives displaced rows
  /// negative numbers.
  package var positiveBits: Int?

  package init(name: String, positiveBits: Int? = nil) {
    self.name = name
    self.positiveBits = positiveBits
  }
}

extension ReplicatedSchema {
  /// The tables in their order.
  package var numberedTables: [NumberedTable] {
    tables.map { NumberedTable(name: $0.name, positiveBits: $0.merge.positiveBits) }
  }
}
