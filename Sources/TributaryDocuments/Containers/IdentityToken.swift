internal import TributaryCore

/// A token that stands for the directory of containers that this device uses. Two tokens are equal as long as
/// the directory is the same.
///
/// An application keeps the token. When it differs from the current one, other data belongs to the
/// application now; `nil` instead of a token means that no container is available.
public struct IdentityToken: Hashable, Sendable, Codable {
  /// The token as 32 hexadecimal digits, which have no further meaning.
  public let text: String

  /// Makes a token that equals no other.
  static func fresh() -> IdentityToken {
    var generator = SystemRandomNumberGenerator()
    return IdentityToken(text: generator.next().lowerHex + generator.next().lowerHex)
  }
}

extension IdentityToken: CustomStringConvertible {
  public var description: String { text }
}
