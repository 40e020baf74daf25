import TributaryDocuments

/// What the command line says about where documents may be.
struct DocumentScope {
  private static let container = CommandOption(
    "container", argument: "DIR", kind: .directory,
    help: "a shared directory that is a container, though not one with an identifier")

  static let options = [container, ContainerArguments.entitlements]

  private let container: String?
  private let entitlements: String?

  init(_ arguments: Arguments) throws(UsageError) {
    container = try arguments.nonempty(Self.container)
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
  }

  /// Returns the documents at the places that the environment and the command line name.
  func documents() throws -> TributaryDocuments.Documents {
    try TributaryDocuments.Documents(
      containers: ContainerArguments.containers(entitlements), container: container)
  }
}
