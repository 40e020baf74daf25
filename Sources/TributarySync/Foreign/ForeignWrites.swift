import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// What is to be said of the writes of other programs.
struct ForeignWrites {
  private let connection: Connection
  private let look: (() throws -> (rows: Int, tables: [String])?)?

  /// - Parameter look: compares the tables with the logs, where there is time for that; changes nothing.
  init(
    _ connection: Connection, look: (() throws -> (rows: Int, tables: [String])?)? = nil
  ) {
    self.connection = connection
    self.look = look
  }

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
    if let unknown = try unknownWrites() { findings.append(unknown) }
    if let found = try UncapturedWrites(Settings(connection)) {
      findings.append(
        Finding(
          isUncaptured: true,
          text:
            "another program wrote \(Self.rows(found.rows)) of \(Self.list(found.tables)) while nothing captured it; found by comparison "
            + "and recorded at \(Timestamp.text(milliseconds: found.milliseconds))",
          remedy: try capture.isUsed()
            ? "find out which program dropped the triggers; they are there again"
            : "run `tributary attach` with --capture triggers if other programs write"))
    }
    return findings
  }

  /// Where no triggers capture, and the last commit is none of ours as far as that can be known.
  private func unknownWrites() throws -> Finding? {
    guard try ForeignCapture(connection).isBroken() else { return nil }
    var finding = Finding(
      isUncaptured: true,
      text: "another program may have written, which nothing has captured: the tables must be "
        + "compared with the logs",
      remedy: "run `tributary sync`")
    guard let look else { return finding }
    do {
      guard let found = try look() else { return finding }
      if found.rows == 0 { return nil }
      finding.text =
        "another program wrote \(Self.rows(found.rows)) of \(Self.list(found.tables)), which nothing has captured"
    } catch {
      finding.text += "; now they cannot be (\(error))"
    }
    return finding
  }

  private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

  private static func list(_ tables: [String]) -> String {
    let named = tables.prefix(5).joined(separator: ", ")
    let rest = tables.count - min(tables.count, 5)
    return (tables.count == 1 ? "table " : "tables ") + named
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
