/// An identifier in entitlements: one identifier, or all with the same beginning, written with a `*` at the
/// end.
public enum IdentifierPattern: Hashable, Sendable {
  /// This identifier alone.
  case identifier(ContainerIdentifier)
  /// All identifiers that begin with this text, which ends with a full stop.
  case beginning(String)

  /// Reads a pattern.
  ///
  /// - Throws: `DocumentError` with `invalidIdentifier`.
  init(_ text: String) throws(DocumentError) {
    guard text.contains("*") else {
      self = .identifier(try ContainerIdentifier(text))
      return
    }
    let beginning = String(text.dropLast())
    guard text.hasSuffix(".*"), !beginning.contains("*") else {
      throw DocumentError(
        .invalidIdentifier, "the pattern \(text.debugDescription) has a wildcard inside",
        remedy: "write the wildcard once, as the last component: TEAMID1234.com.example.*")
    }
    // The text before the wildcard follows the rules for identifiers.
    _ = try ContainerIdentifier(beginning + "x")
    self = .beginning(beginning)
  }

  /// Whether the pattern grants an identifier.
  public func matches(_ identifier: ContainerIdentifier) -> Bool {
    switch self {
    case .identifier(let own): own == identifier
    case .beginning(let text): identifier.text.hasPrefix(text)
    }
  }

  /// The pattern as text.
  public var text: String {
    switch self {
    case .identifier(let identifier): identifier.text
    case .beginning(let text): text + "*"
    }
  }
}
