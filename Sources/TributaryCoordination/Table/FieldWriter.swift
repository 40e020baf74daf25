/// Writes fields of text that each end with a NUL, which no path contains.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  mutating func text(_ text: String) {
    bytes += text.utf8
    bytes.append(0)
  }

  mutating func number(_ number: some BinaryInteger) { text(String(number)) }

  mutating func list<Elements: Collection>(
    _ elements: Elements, _ write: (inout FieldWriter, Elements.Element) -> Void
  ) {
    number(elements.count)
    for element in elements { write(&self, element) }
  }
}
