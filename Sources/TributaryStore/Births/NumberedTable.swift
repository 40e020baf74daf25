/// How the rows of a table are numbered, as far as births ask.
package struct NumberedTable: Sendable {
  /// Its name.
  package var name: String
  /// Displaced rows take numbers of so many bits above a leading one; `nil` is negative ones.
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
