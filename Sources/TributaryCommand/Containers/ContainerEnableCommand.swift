import TributaryDocuments

/// `tributary container enable`: makes a container available on this device.
struct ContainerEnableCommand: Command {
  static let syntax = Syntax(
    "container enable", summary: "make a container available on this device",
    operands: [ContainerArguments.identifier],
    options: [ContainerArguments.application, ContainerArguments.entitlements],
    details: """
      If a container is absent and nobody has disabled it, it may be gone for good.
      After this command, Tributary makes a new one at the next use.
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
        try containers.enable(identifier, application: application)
      } else {
        try containers.enable(identifier)
      }
    try output.confirm(
      "\(identifier) is \(hasChanged ? "" : "already ")enabled on this device\(application.map { " for \($0)" } ?? "")"
    )
    return .done
  }
}
