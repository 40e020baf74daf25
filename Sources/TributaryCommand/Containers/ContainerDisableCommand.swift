import TributaryDocuments

/// `tributary container disable`: makes a container unavailable on this device.
struct ContainerDisableCommand: Command {
  static let syntax = Syntax(
    "container disable", summary: "make a container unavailable on this device",
    operands: [ContainerArguments.identifier],
    options: [ContainerArguments.application, ContainerArguments.entitlements],
    details: """
      Applications can no longer open it. Nothing in it changes, and stores that are
      attached to it keep working.
      """)

  private let identifier: String
  private let entitlements: String?
  private let application: String?

  init(_ arguments: Arguments) throws(UsageError) {
    identifier = arguments.operands[0]
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    application = try arguments.nonempty(ContainerArguments.application)
  }

  func run(to output: Output) throws -> ExitStatus {
    let identifier = try ContainerArguments.identifier(identifier)
    let containers = try ContainerArguments.containers(entitlements)
    let hasChanged =
      if let application {
        try containers.disable(identifier, application: application)
      } else {
        try containers.disable(identifier)
      }
    try output.confirm(
      "\(identifier) is \(hasChanged ? "" : "already ")disabled on this device\(application.map { " for \($0)" } ?? "")"
    )
    return .done
  }
}
