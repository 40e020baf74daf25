/// A pattern for names, as in the shell: `*` stands for any characters, `?` for one, `[a-z]` for one of
/// these, `[!a-z]` for any other one, and `\` makes the next character literal.
///
/// Names that differ only in how Unicode spells a letter count as equal.
public struct NamePattern: Hashable, Sendable {
  /// The pattern as it was given.
  public let text: String
  /// Whether the case of letters is ignored.
  public let isCaseInsensitive: Bool
  private let tokens: [Token]

  private enum Token: Hashable, Sendable {
    case any, one
    case exactly(Character)
    case oneOf([ClosedRange<Character>], isInverted: Bool)

    func matches(_ character: Character) -> Bool {
      switch self {
      case .any, .one: true
      case .exactly(let expected): expected == character
      case .oneOf(let ranges, let isInverted):
        ranges.contains { $0.contains(character) } != isInverted
      }
    }
  }

  /// Makes a pattern.
  ///
  /// - Throws: `CoordinationError` with the code `invalidPattern` for an unclosed bracket, and for a `\` at
  ///   the end.
  public init(_ text: String, isCaseInsensitive: Bool = false) throws(CoordinationError) {
    self.text = text
    self.isCaseInsensitive = isCaseInsensitive
    var rest = Array(isCaseInsensitive ? text.lowercased() : text)[...]
    var tokens: [Token] = []
    while let character = rest.popFirst() {
      switch character {
      case "*": if tokens.last != .any { tokens.append(.any) }
      case "?": tokens.append(.one)
      case "[": tokens.append(try Self.bracket(&rest, of: text))
      case "\\":
        guard let next = rest.popFirst() else {
          throw .invalidPattern(text, "ends with a backslash")
        }
        tokens.append(.exactly(next))
      default: tokens.append(.exactly(character))
      }
    }
    self.tokens = tokens
  }

  private static func bracket(
    _ rest: inout ArraySlice<Character>, of text: String
  ) throws(CoordinationError) -> Token {
    let isInverted = rest.first == "!" || rest.first == "^"
    if isInverted { rest.removeFirst() }
    var ranges: [ClosedRange<Character>] = []
    while let first = rest.popFirst() {
      // A closing bracket at the beginning is one of the characters.
      if first == "]", !ranges.isEmpty { return .oneOf(ranges, isInverted: isInverted) }
      guard rest.first == "-", let last = rest.dropFirst().first, last != "]" else {
        ranges.append(first...first)
        continue
      }
      rest.removeFirst(2)
      guard first <= last else {
        throw .invalidPattern(text, "has a range that ends before it begins")
      }
      ranges.append(first...last)
    }
    throw .invalidPattern(text, "has a [ without its ]")
  }

  /// Whether a name matches as a whole.
  public func matches(_ name: String) -> Bool {
    let name = Array(isCaseInsensitive ? name.lowercased() : name)
    var (token, place) = (0, 0)
    // Where to continue if what follows the last `*` does not match here.
    var retry: (token: Int, place: Int)?
    while place < name.count || token < tokens.count {
      if token < tokens.count {
        if tokens[token] == .any {
          retry = (token, place)
          token += 1
          continue
        }
        if place < name.count, tokens[token].matches(name[place]) {
          token += 1
          place += 1
          continue
        }
      }
      guard let (star, start) = retry, start < name.count else { return false }
      retry = (star, start + 1)
      (token, place) = (star + 1, start + 1)
    }
    return true
  }
}
