import TributaryDocuments

/// `tributary document duplicate`: makes another document with the same contents.
struct DocumentDuplicateCommand: Command {
  static let syntax = Syntax(
    "document duplicate", summary: "make another document with the same contents",
    operands: [DocumentArguments.package, DocumentArguments.newPackage],
    options: DocumentScope.options,
    details: """
      The new document begins with the contents that this device shows, and develops
      separately from then on. A package that is copied in any other way remains the
      same document.
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
    let document = try scope.documents().duplicate(package, to: target)
    output.hasDone("\(target) is made")
    try output.confirm(
      "\(output.shown(document.package)) is made; its store is \(document.store)")
    return .done
  }
}
