import TributaryDocuments

/// `tributary document delete`: deletes a document on all devices.
struct DocumentDeleteCommand: Command {
  static let syntax = Syntax(
    "document delete", summary: "delete a document with its logs, on all devices",
    operands: [DocumentArguments.package], options: DocumentScope.options,
    details: """
      Logs and packages that arrive late do not bring the document back. A device
      keeps what it had written and no other device had imported, in the directory
      `removed` beside the stores of documents.
      """)

  private let package: String
  private let scope: DocumentScope

  init(_ arguments: Arguments) throws(UsageError) {
    package = arguments.operands[0]
    scope = try DocumentScope(arguments)
  }

  func run(to output: Output) throws -> ExitStatus {
    try scope.documents().delete(package)
    output.hasDone("\(package) is deleted")
    try output.confirm("\(package) is deleted")
    return .done
  }
}
