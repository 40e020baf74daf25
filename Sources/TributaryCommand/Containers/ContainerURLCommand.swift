import Glibc
import TributaryDocuments

/// `tributary container url`: prints the path of a container.
struct ContainerURLCommand: Command {
  private static let info = CommandOption(
    "info", argument: "FILE", kind: .file,
    help: "also show the public containers of this Info.plist in the drive directory")

  static let syntax = Syntax(
    "container url", summary: "print the path of a container, and make it at its first use",
    operands: [ContainerArguments.optionalIdentifier],
    options: [ContainerArguments.entitlements, info],
    details: """
      IDENTIFIER has the form TEAMID1234.com.example.App, TEAMID1234.custom.string or
      iCloud.com.example.App. Without it, the command takes the first container that
      the entitlements grant. Users see the contents of its directory Documents.

      The drive directory is TRIBUTARY_DRIVE, or Drive beside the stores of documents.
      """)

  private let identifier: String?
  private let entitlements: String?
  private let info: String?

  init(_ arguments: Arguments) throws(UsageError) {
    identifier = arguments.operands.first
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    info = try arguments.nonempty(Self.info)
    if identifier == nil, entitlements == nil, getenv("TRIBUTARY_ENTITLEMENTS") == nil {
      throw UsageError("IDENTIFIER is missing, and no --entitlements name the main container")
    }
  }

  func run(to output: Output) throws -> ExitStatus {
    let containers = try ContainerArguments.containers(entitlements)
    let path = try containers.availablePath(
      for: identifier.map(ContainerArguments.identifier))
    if let info { try containers.publish(PublicContainer.all(inInfo: info)) }
    try output.line(path)
    return .done
  }
}
