/// A key as SQLite compares it, byte by byte: `String` considers different spellings of one character equal.
struct KeyValueKey: Hashable, Comparable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: KeyValueKey, b: KeyValueKey) -> Bool {
    a.text.utf8.elementsEqual(b.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }

  static func < (a: KeyValueKey, b: KeyValueKey) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }
}
