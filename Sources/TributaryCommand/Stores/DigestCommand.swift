import TributaryCore
import TributaryFiles
import TributaryStore

/// `tributary digest`: prints one digest of the contents.
struct DigestCommand: Command {
  static let syntax = Syntax(
    "digest", summary: "print a digest of the contents of all shared tables",
    operands: [.store], options: [.json],
    details: """
      Digests are equal exactly when the contents are: the same on every device that
      has imported everything. With --json there is one for each table too.
      """)

  private let store: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let digest = try LocalStore(path: store, milliseconds: SystemClock().milliseconds).digest()
    guard printsJSON else {
      try output.line(digest.total)
      return .done
    }
    var json = JSONWriter()
    json.object { json in
      json.member("store", store)
      json.member("digest", digest.total)
      json.member("tables") { json in
        json.object { json in for table in digest.tables { json.member(table.name, table.digest) } }
      }
    }
    try output.line(json.text)
    return .done
  }
}
