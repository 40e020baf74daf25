import TributaryCore
import TributaryDocuments

/// `tributary container storage`: prints how much space containers take.
struct ContainerStorageCommand: Command {
  static let syntax = Syntax(
    "container storage", summary: "print what each container takes",
    options: [ContainerArguments.entitlements, .json],
    details: """
      Items in Documents can be deleted one by one. Everything else, mostly logs, is
      deleted only with the container.
      """)

  private let entitlements: String?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let containers = try ContainerArguments.containers(entitlements).storage()
    if printsJSON {
      for container in containers { try output.line(Self.json(container)) }
      return .done
    }
    var table = TextTable(["BYTES", "WHAT"], alignments: [.right], to: output)
    for container in containers {
      try table.append(["\(container.bytes)", container.identifier.text])
      for item in container.documents {
        try table.append(["\(item.bytes)", "  Documents/" + Escaping.escaped(item.name)])
      }
      try table.append(["\(container.otherBytes)", "  the rest"])
    }
    try table.finish()
    return .done
  }

  private static func json(_ container: ContainerStorage) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("identifier", container.identifier.text)
      json.member("path", container.path)
      json.member("bytes", container.bytes)
      json.member("documents") { json in
        json.array { json in
          for item in container.documents {
            json.object { json in
              json.member("name", item.name)
              json.member("bytes", item.bytes)
            }
          }
        }
      }
      json.member("otherBytes", container.otherBytes)
    }
    return json.text
  }
}
