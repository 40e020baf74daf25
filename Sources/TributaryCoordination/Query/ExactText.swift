/// A path or name as file systems compare it, byte by byte: `String` considers different spellings of one
/// character equal, although they name two files.
struct ExactText: Hashable, Comparable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  static func < (a: ExactText, b: ExactText) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }
}
