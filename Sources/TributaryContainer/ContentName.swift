/// Names one logical database inside a container, e.g. `Library`.
///
/// A name has 1 to 100 UTF-8 bytes that every carrier and file system preserves. Two names are
/// equal if their bytes are.
package struct ContentName: Sendable {
  /// The name as it appears in paths and files.
  package let text: String

  /// Makes a name after checking the rules.
  ///
  /// - Throws: `ContainerError` with `invalidName`, which names the broken rule.
  package init(_ text: String) throws(ContainerError) {
    if let violation = NameRule.violation(by: text) {
      throw ContainerError(
        .invalidName, "the content name \(text.debugDescription) \(violation.rule)",
        remedy: violation.remedy)
    }
    self.text = text
  }
}

extension ContentName: Hashable {
  package static func == (a: ContentName, b: ContentName) -> Bool {
    a.text.utf8.elementsEqual(b.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension ContentName: CustomStringConvertible {
  package var description: String { text }
}
