/// A possible option of `tributary attach`, in the command's words.
public struct AttachOption: Hashable, Sendable {
  /// The name without its dashes, e.g. `except`.
  public var name: String
  /// The value of the option.
  public var argument: String

  public init(_ name: String, _ argument: String) {
    self.name = name
    self.argument = argument
  }

  /// Returns the option to leave a table out.
  public static func except(_ table: String) -> AttachOption { AttachOption("except", table) }
}

extension AttachOption: CustomStringConvertible {
  public var description: String { "--\(name) \(argument)" }
}
