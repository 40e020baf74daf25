import TributaryDocuments

/// `tributary document move`: renames a document, or moves it into a container or out of one.
struct DocumentMoveCommand: Command {
  static let syntax = Syntax(
    "document move", summary: "rename a document, or move it into a container or out of one",
    operands: [DocumentArguments.package, DocumentArguments.newPackage],
    options: DocumentScope.options,
    details: """
      Its history and its conflicts go with it. The other devices of a container that
      it leaves see it deleted.
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
