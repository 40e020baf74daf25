import TributaryDocuments

/// `tributary document create`: makes a document.
struct DocumentCreateCommand: Command {
  private static let schema = CommandOption(
    "schema", argument: "FILE|DIR", kind: .file,
    help: "the migrations that make its tables; without it, and without --from, it has none")
  private static let from = CommandOption(
    "from", argument: "DATABASE", kind: .file,
    help: "begin with the contents of a database, which is copied")
  private static let attribute = CommandOption(
    "attribute", argument: "NAME=VALUE", isRepeatable: true,
    help: "an attribute of the document, for programs that search")

  static let syntax = Syntax(
    "document create",
    summary: "make a document: a package that is shared, and a store that stays here",
    operands: [DocumentArguments.package],
    options: [schema, from, attribute] + DocumentScope.options,
    exclusive: [[schema, from]],
    details: """
      In the directory Documents of a container, the PACKAGE is shared with everyone
      who has the container. Anywhere else it belongs to this device until it is moved
      into a container. Programs may write to the store directly; triggers capture
      what they write.
      """)

  private let package: String
  private let schema: String?
  private let source: String?
  private let scope: DocumentScope
  private let attributes: [String: String]

  init(_ arguments: Arguments) throws(UsageError) {
    package = arguments.operands[0]
    schema = try arguments.nonempty(Self.schema)
    source = try arguments.nonempty(Self.from)
    scope = try DocumentScope(arguments)
    var attributes: [String: String] = [:]
    for text in arguments.all(Self.attribute) {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw UsageError("--attribute is NAME=VALUE, not '\(text)'")
      }
      attributes[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    self.attributes = attributes
  }

  func run(to output: Output) throws -> ExitStatus {
    var options = DocumentOptions(migrations: try schema.map(MigrationFiles.read) ?? [])
    options.defaultCapture = .triggers
    options.followsSchemaByDefault = schema == nil
    options.attributes = attributes
    let document = try scope.documents().create(
      at: package, contents: source.map { .database($0) } ?? .empty, options: options)
    output.hasDone("\(package) is made")
    try output.confirm("\(output.shown(document.package)) is made; its store is \(document.store)")
    return .done
  }
}
