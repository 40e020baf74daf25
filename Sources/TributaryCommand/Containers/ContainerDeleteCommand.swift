import TributaryDocuments

/// `tributary container delete`: deletes a container on all devices.
struct ContainerDeleteCommand: Command {
  private static let confirmation = CommandOption(
    "yes", isRequired: true, help: "confirm that everything in it is to be deleted, on all devices")

  static let syntax = Syntax(
    "container delete", summary: "delete a container with everything in it, on all devices",
    operands: [ContainerArguments.identifier],
    options: [confirmation, ContainerArguments.entitlements],
    details: """
      A deleted container cannot be brought back. To keep it without using it here,
      disable it.
      """)

  private let identifier: String
  private let entitlements: String?

  init(_ arguments: Arguments) throws(UsageError) {
    identifier = arguments.operands[0]
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
  }

  func run(to output: Output) throws -> ExitStatus {
    let identifier = try ContainerArguments.identifier(identifier)
    let containers = try ContainerArguments.containers(entitlements)
    let path = try containers.delete(identifier)
    output.hasDone("\(identifier) is deleted")
    try TributaryDocuments.Documents(containers: containers).forget(container: path)
    try output.confirm("\(identifier) is deleted")
    return .done
  }
}
