internal import TributaryCore

/// Stands for the directory of containers that this device uses: two tokens are equal as long as it is the
/// same one.
///
/// An application keeps the token. When it differs from the present one, other data belongs to the
/// application now; `nil` in its place says that no container is available.
public struct IdentityToken: Hashable, Sendable, Codable {
  /// The token as 32 hexadecimal digits, which mean nothing else.
  public let text: String

  /// Makes a token that no other one equals.
  static func fresh() -> IdentityToken {
    var generator = SystemRandomNumberGenerator()
    return IdentityToken(text: generator.next().lowerHex + generator.next().lowerHex)
  }
}

extension IdentityToken: CustomStringConvertible {
  public var description: String { text }
}
