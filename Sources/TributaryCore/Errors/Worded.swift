/// A text for people that names what helps: as a command where a command prints it, as a call of the library
/// elsewhere.
@propertyWrapper
public struct Worded: Hashable, Sendable {
  private var text: String

  /// Makes it from a text that names commands.
  public init(wrappedValue: String) { text = wrappedValue }

  /// The text, in the words of the library or of the command, as the reading thread demands.
  public var wrappedValue: String {
    get { Wording.current.spoken(text) }
    set { text = newValue }
  }
}
