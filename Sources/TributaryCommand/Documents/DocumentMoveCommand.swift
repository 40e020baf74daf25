import TributaryDocuments

/// `tributary document move`: renames a document, or moves it into a container or out of one.
struct DocumentMoveCommand: Command {
  static let syntax = Syntax(
    "document move", summary: "rename a document, or move it into a container or out of one",
    operands: [DocumentArguments.package, DocumentArguments.newPackage],
    options: DocumentScope.options,
    details: """
      The document keeps its history and its conflicts. If it leaves a container, it
      is deleted on the other devices of that container.
      """)

  private let package: String
  private let target: String
  private let scope: DocumentScope

  init(_ arguments: Arguments) throws(UsageError) {
    package = arguments.operands[0]
    target = arguments.operands[1]
    scope = try DocumentScope(arguments)
  }

  func run(to output: Output) throws -> ExitStatus {
    let path = try scope.documents().move(package, to: target)
    output.hasDone("\(package) is moved")
    try output.confirm("\(package) is now \(output.shown(path))")
    return .done
  }
}
