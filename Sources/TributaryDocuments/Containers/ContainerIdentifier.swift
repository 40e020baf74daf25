internal import TributaryContainer

/// Names a container that applications share: `TEAMID1234.com.example.App`, `TEAMID1234.custom.string` or
/// `iCloud.com.example.App`.
///
/// The first component is `iCloud` or a team, ten capital letters and digits. At least one more follows.
/// Components consist of ASCII letters, digits, `-` and `_`.
public struct ContainerIdentifier: Hashable, Sendable, Codable {
  /// The identifier as text.
  public let text: String

  /// Makes an identifier after checking its form.
  ///
  /// - Throws: `DocumentError` with `invalidIdentifier`, which names the broken rule.
  public init(_ text: String) throws(DocumentError) {
    if let refusal = Self.refusal(of: text) {
      throw DocumentError(
        .invalidIdentifier, "the container identifier \(text.debugDescription) \(refusal.finding)",
        remedy: refusal.remedy)
    }
    self.text = text
  }

  /// Makes the identifier for the name of a directory; `nil` if no identifier has that name.
  public init?(directoryName: String) {
    guard !directoryName.utf8.contains(UInt8(ascii: ".")) else { return nil }
    let text = String(directoryName.map { $0 == "~" ? "." : $0 })
    guard Self.refusal(of: text) == nil else { return nil }
    self.text = text
  }

  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// The name of the container's directory: each `.` is a `~`.
  public var directoryName: String { String(text.map { $0 == "." ? "~" : $0 }) }

  /// The team that the identifier begins with; `nil` for one that begins with `iCloud`.
  public var team: String? {
    let first = String(text.prefix { $0 != "." })
    return first == Self.common ? nil : first
  }

  private static let common = "iCloud"

  /// The largest number of bytes, so that every carrier preserves the name of the directory.
  public static let maximumByteCount = 100

  private static func refusal(of text: String) -> (finding: String, remedy: String)? {
    let form =
      "write TEAMID1234.com.example.App, TEAMID1234.custom.string or iCloud.com.example.App"
    if text.isEmpty { return ("is empty", form) }
    if text.utf8.count > maximumByteCount {
      return ("has more than \(maximumByteCount) bytes", "choose a shorter one")
    }
    if text.contains("$(") {
      return (
        "contains a variable that nobody has replaced", "write what the variable stands for"
      )
    }
    for character in text where !isAllowed(character) {
      return (
        "contains \(String(character).debugDescription)",
        "use letters from A to Z, digits, hyphens, underscores and full stops"
      )
    }
    let components = text.split(separator: ".", omittingEmptySubsequences: false)
    if components.contains("") {
      return ("has an empty component", "put something between the full stops")
    }
    if components.count < 2 { return ("has one component only", form) }
    if components[0] != common, !isTeam(components[0]) {
      return (
        "begins neither with iCloud nor with a team, which has ten capital letters and digits", form
      )
    }
    // The first component is never a name that Windows reserves, and Windows considers only that one.
    return nil
  }

  private static func isAllowed(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }

  private static func isTeam(_ component: Substring) -> Bool {
    component.utf8.count == 10
      && component.utf8.allSatisfy {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }
}

extension ContainerIdentifier: CustomStringConvertible {
  public var description: String { text }
}
