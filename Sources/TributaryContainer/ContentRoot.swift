/// The directory in a container that holds all content names of an application.
///
/// It may have several components. Each follows the rules of a content name, so it never leads out
/// of the container.
package struct ContentRoot: Sendable {
  /// The components, separated by `/`.
  package let text: String

  /// The default content root.
  package static let standard = ContentRoot(checked: "tributary")

  private init(checked text: String) { self.text = text }

  /// Makes a content root after checking the rules.
  ///
  /// - Throws: `ContainerError` with `outsideContainer` for a path that is absolute or leads
  ///   upwards, with `invalidName` for any other broken rule.
  package init(_ text: String) throws(ContainerError) {
    let components = Self.split(text)
    if text.utf8.first == UInt8(ascii: "/") || components.contains("..") {
      throw ContainerError(
        .outsideContainer, "the content root \(text.debugDescription) leads out of the container",
        remedy: "give a path relative to the container")
    }
    for component in components {
      if let violation = NameRule.violation(by: component) {
        let part = components.count == 1 ? "" : ": the component \(component.debugDescription)"
        throw ContainerError(
          .invalidName, "the content root \(text.debugDescription)\(part) \(violation.rule)",
          remedy: violation.remedy)
      }
    }
    self.text = text
  }

  /// The components one by one, from the container down.
  package var components: [String] { Self.split(text) }

  private static func split(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }
}

extension ContentRoot: Hashable {
  package static func == (a: ContentRoot, b: ContentRoot) -> Bool {
    a.text.utf8.elementsEqual(b.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension ContentRoot: CustomStringConvertible {
  package var description: String { text }
}
