import TributaryCore
import TributaryDocuments

/// `tributary document list`: prints the documents in a directory.
struct DocumentListCommand: Command {
  static let syntax = Syntax(
    "document list", summary: "list the documents in a directory, or in all containers",
    operands: [Operand("DIR", .directory, isOptional: true)],
    options: [DocumentArguments.container, .json],
    details: """
      STATE is normal, inConflict (see `conflicts`), incomplete (none of its logs have
      arrived), doubled (another package is the same document), damaged or
      newerFormat. HERE says whether its store is on this device.
      """)

  private let directory: String?
  private let container: String?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    directory = arguments.operands.first
    container = try arguments.nonempty(DocumentArguments.container)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let documents = try DocumentArguments.documents(container).list(directory)
    if printsJSON {
      for document in documents { try output.line(Self.json(document)) }
      return .done
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
    return .done
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
