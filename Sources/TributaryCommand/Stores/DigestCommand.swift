import TributaryCore
import TributaryFiles
import TributaryStore

/// `tributary digest`: prints one digest of the contents.
struct DigestCommand: Command {
  static let syntax = Syntax(
    "digest", summary: "print a digest of the contents of all shared tables",
    operands: [.store], options: [.json],
    details: """
      Two digests are equal exactly if the contents are. Devices that have imported
      everything have the same digest. With --json there is also a digest for each
      table.
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
