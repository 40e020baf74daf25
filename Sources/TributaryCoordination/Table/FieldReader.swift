/// Reads what `FieldWriter` writes.
struct FieldReader {
  /// The bytes were not written by a `FieldWriter`.
  struct Damaged: Error {}

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func text() throws(Damaged) -> String {
    guard let end = rest.firstIndex(of: 0),
      let text = String(validating: rest[..<end], as: UTF8.self)
    else { throw Damaged() }
    rest = rest[(end + 1)...]
    return text
  }

  mutating func number<Number: FixedWidthInteger>() throws(Damaged) -> Number {
    guard let number = Number(try text()) else { throw Damaged() }
    return number
  }

  mutating func list<Element>(
    _ read: (inout FieldReader) throws(Damaged) -> Element
  ) throws(Damaged) -> [Element] {
    let count: Int = try number()
    // Each element has at least one field.
    guard count >= 0, count <= rest.count else { throw Damaged() }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }
}
