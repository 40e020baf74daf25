import TributaryDocuments

/// What the commands about documents have in common.
enum DocumentArguments {
  static let package = Operand("PACKAGE", .directory)
  static let newPackage = Operand("NEW", .directory)
  static let container = CommandOption(
    "container", argument: "DIR", kind: .directory,
    help: "a shared directory that is a container, though not one with an identifier")

  /// Returns the documents at the places that the environment and the command line name.
  static func documents(_ container: String?) throws -> TributaryDocuments.Documents {
    try TributaryDocuments.Documents(
      containers: Containers(places: .ofUser()), container: container)
  }

  /// Returns the arguments with the paths of stores in place of those of documents, where the command takes one
  /// STORE.
  static func resolved(_ arguments: Arguments, _ syntax: Syntax) throws -> Arguments {
    var arguments = arguments
    for (index, operand) in syntax.operands.enumerated()
    where [.store, .storeOrContainer].contains(operand) && index < arguments.operands.count {
      arguments.operands[index] = try store(arguments.operands[index])
    }
    return arguments
  }

  /// Whether a path is that of a document.
  static func isDocument(_ path: String) -> Bool { TributaryDocuments.Documents.isDocument(path) }

  /// Returns the path of a STORE on the command line: for a document, that of its store, which is rebuilt if it
  /// is not here.
  static func store(_ path: String) throws -> String {
    guard isDocument(path) else { return path }
    return try documents(nil).open(path).store
  }
}
