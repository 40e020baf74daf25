import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// What is to be said of the writes of other programs.
struct ForeignWrites {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  struct Finding {
    /// Nothing captured them when they were made.
    var isUncaptured: Bool
    var text: String
    var remedy: String

    var line: String { "\(text); \(remedy)" }
  }

  func findings() throws -> [Finding] {
    var findings: [Finding] = []
    let capture = ForeignCapture(connection)
    let suspected = try capture.suspected()
    if try capture.isPending() {
      findings.append(
        Finding(
          isUncaptured: false, text: "another program has written, and that is not recorded yet",
          remedy: "run `tributary sync`"))
    }
    if !suspected.isEmpty {
      findings.append(
        Finding(
          isUncaptured: true,
          text:
            "triggers that capture writes were missing: \(Self.list(suspected)) must be compared with the logs",
          remedy: "run `tributary sync`"))
    }
    if let found = try UncapturedWrites(Settings(connection)) {
      let rows = found.rows == 1 ? "1 row" : "\(found.rows) rows"
      findings.append(
        Finding(
          isUncaptured: true,
          text:
            "another program wrote \(rows) of \(Self.list(found.tables)) while nothing captured it; found by comparison "
            + "and recorded at \(Timestamp.text(milliseconds: found.milliseconds))",
          remedy: try capture.isUsed()
            ? "find out which program dropped the triggers; they are there again"
            : "run `tributary attach` with --capture triggers if other programs write"))
    }
    return findings
  }

  private static func list(_ tables: [String]) -> String {
    let named = tables.prefix(5).joined(separator: ", ")
    let rest = tables.count - min(tables.count, 5)
    return (tables.count == 1 ? "table " : "tables ") + named
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
