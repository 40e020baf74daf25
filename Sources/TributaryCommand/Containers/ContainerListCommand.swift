import TributaryCore
import TributaryDocuments

/// `tributary container list`: prints the containers of this device.
struct ContainerListCommand: Command {
  static let syntax = Syntax(
    "container list", summary: "list the containers of this device",
    options: [ContainerArguments.entitlements, .json],
    details: """
      A container is enabled, disabled on this device, or absent: it existed once, and
      either another device has deleted it or it is not mounted.
      """)

  private let entitlements: String?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let containers = try ContainerArguments.containers(entitlements).list()
    if printsJSON {
      for container in containers { try output.line(Self.json(container)) }
      return .done
    }
    var table = TextTable(["IDENTIFIER", "STATE", "PATH"], to: output)
    for container in containers {
      try table.append([
        container.identifier.text, container.state.rawValue, Escaping.escaped(container.path),
      ])
    }
    try table.finish()
    return .done
  }

  private static func json(_ container: ContainerDescription) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("identifier", container.identifier.text)
      json.member("path", container.path)
      json.member("state", container.state.rawValue)
    }
    return json.text
  }
}
