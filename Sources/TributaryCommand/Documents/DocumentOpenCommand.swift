import TributaryCore
import TributaryDocuments

/// `tributary document open`: makes sure that the store of a document is on this device.
struct DocumentOpenCommand: Command {
  private static let contentName = CommandOption(
    "content-name", argument: "NAME",
    help: "if the package is gone, make it again for the document with this content name")

  static let syntax = Syntax(
    "document open", summary: "make sure that the store of a document is here, and print its path",
    operands: [DocumentArguments.package], options: [contentName] + DocumentScope.options + [.json],
    details: """
      A store that is not on this device is rebuilt from the logs. Every command that
      takes a STORE also takes a document, and opens it first in the same way. If a
      package was removed by other means than `document delete`, `document list` and
      `doctor` print the NAME to give here.
      """)

  private let package: String
  private let contentName: String?
  private let scope: DocumentScope
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    package = arguments.operands[0]
    contentName = try arguments.nonempty(Self.contentName)
    scope = try DocumentScope(arguments)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    var options = DocumentOptions()
    options.defaultCapture = .triggers
    options.followsSchemaByDefault = true
    let progress = ProgressLine(output)
    let document: OpenDocument
    do {
      let documents = try scope.documents()
      if let contentName { try documents.restore(package, contentName: contentName) }
      document = try documents.open(
        package, options: options, progress: { progress.show($0) })
    } catch {
      progress.finish()
      throw error
    }
    progress.finish()
    try output.line(printsJSON ? Self.json(document) : output.shown(document.store))
    return .done
  }

  private static func json(_ document: OpenDocument) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("path", document.package)
      json.member("contentName", document.metadata.contentName)
      json.member("store", document.store)
      json.member("container") { json in
        if let container = document.container { json.string(container) } else { json.null() }
      }
      json.member("rebuilt") { json in
        if case .rebuilt = document.report?.outcome { json.bool(true) } else { json.bool(false) }
      }
    }
    return json.text
  }
}
