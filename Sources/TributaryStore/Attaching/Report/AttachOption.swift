/// An option of `tributary attach` that could be given, in the command's words.
public struct AttachOption: Hashable, Sendable {
  /// Without its dashes: `except`.
  public var name: String
  /// What stands behind it.
  public var argument: String

  public init(_ name: String, _ argument: String) {
    self.name = name
    self.argument = argument
  }

  /// To leave a table out.
  public static func except(_ table: String) -> AttachOption { AttachOption("except", table) }
}

extension AttachOption: CustomStringConvertible {
  public var description: String { "--\(name) \(argument)" }
}
