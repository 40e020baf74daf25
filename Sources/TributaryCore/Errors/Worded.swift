/// A readable text that names a remedy: as a command when a command prints it, and as a call of the library
/// otherwise.
@propertyWrapper
public struct Worded: Hashable, Sendable {
  private var text: String

  /// Makes the wrapper from a text that names commands.
  public init(wrappedValue: String) { text = wrappedValue }

  /// The text, in the words of the library or of the command, depending on the reading thread.
  public var wrappedValue: String {
    get { Wording.current.spoken(text) }
    set { text = newValue }
  }
}
