/// The name of a table, compared by its bytes: `String` considers canonically equivalent spellings
/// equal.
package struct TableName: Hashable, Comparable, Sendable {
  package let text: String

  init(_ text: String) { self.text = text }

  package static func == (a: TableName, b: TableName) -> Bool {
    a.text.utf8.elementsEqual(b.text.utf8)
  }

  package static func < (a: TableName, b: TableName) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
