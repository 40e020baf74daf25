import TributaryDocuments

/// The common part of the commands about containers.
enum ContainerArguments {
  static let entitlements = CommandOption(
    "entitlements", argument: "FILE", kind: .file,
    help: "allow only what this property list grants; by default $TRIBUTARY_ENTITLEMENTS")
  static let application = CommandOption(
    "application", argument: "NAME",
    help: "for one application alone: its application-identifier, or else its main container")
  static let identifier = Operand("IDENTIFIER", .text)
  static let optionalIdentifier = Operand("IDENTIFIER", .text, isOptional: true)

  /// Returns the containers that the command line allows the command to use.
  static func containers(_ entitlements: String?) throws -> Containers {
    Containers(places: try .ofUser(), entitlements: try granted(entitlements))
  }

  /// Returns what the command line, or else the environment, allows the command to use; `nil` means
  /// all containers.
  static func granted(_ path: String?) throws -> Entitlements? {
    try path.map { try Entitlements(contentsOf: $0) } ?? .ofApplication()
  }

  /// Returns an identifier from the command line.
  static func identifier(_ text: String) throws -> ContainerIdentifier {
    try ContainerIdentifier(text)
  }
}
