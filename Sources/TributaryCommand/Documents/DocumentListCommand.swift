import TributaryCore
import TributaryDocuments

/// `tributary document list`: prints the documents in a directory.
struct DocumentListCommand: Command {
  static let syntax = Syntax(
    "document list", summary: "list the documents in a directory, or in all containers",
    operands: [Operand("DIR", .directory, isOptional: true)],
    options: DocumentScope.options + [.json],
    details: """
      STATE is normal, inConflict (see `conflicts`), incomplete (none of its logs have
      arrived), doubled (another package is the same document), damaged (run `doctor`
      for the remedy) or newerFormat. HERE says whether its store is on this device.

      The command first removes documents that other devices have deleted, and names
      them on standard error. It also names what cannot be read, containers that are
      away, and documents whose package is gone or has not arrived yet. It lists
      everything else. If something could not be read, a container is away or a
      package is gone, the exit status is 1.
      """)

  private let directory: String?
  private let scope: DocumentScope
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    directory = arguments.operands.first
    scope = try DocumentScope(arguments)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    var status = ExitStatus.done
    let documents = try scope.documents().list(directory) { error in
      output.problem(errorText(error))
      status = .failed
    } awaited: { error in
      output.note(errorText(error))
    } did: { change in
      output.note("\(change.path): \(change.message)")
    }
    if printsJSON {
      for document in documents { try output.line(Self.json(document)) }
      return status
    }
    var table = TextTable(
      ["NAME", "STATE", "HERE", "BYTES", "PATH"], alignments: [.left, .left, .left, .right],
      to: output)
    for document in documents {
      try table.append([
        Escaping.escaped(document.name), document.state.rawValue, document.isHere ? "yes" : "no",
        "\(document.bytes)", Escaping.escaped(document.path),
      ])
    }
    try table.finish()
    return status
  }

  private static func json(_ document: DocumentDescription) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("path", document.path)
      json.member("name", document.name)
      json.member("contentName") { json in
        if let name = document.contentName { json.string(name) } else { json.null() }
      }
      json.member("state", document.state.rawValue)
      json.member("here") { $0.bool(document.isHere) }
      json.member("bytes", document.bytes)
      json.member("attributes") { json in
        json.object { json in
          for (name, value) in document.attributes.sorted(by: { $0.key < $1.key }) {
            json.member(name, value)
          }
        }
      }
    }
    return json.text
  }
}
