import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// The findings about the writes of other programs.
struct ForeignWrites {
  private let connection: Connection
  private let comparison: LogComparison?

  /// Prepares the findings.
  ///
  /// - Parameter comparison: determines what was written, if there is time for that.
  init(_ connection: Connection, comparison: LogComparison? = nil) {
    self.connection = connection
    self.comparison = comparison
  }

  func findings() throws -> [Finding] {
    var findings: [Finding] = []
    let capture = ForeignCapture(connection)
    let suspected = try capture.suspected()
    if try capture.isPending() {
      findings.append(
        finding(.note, "another program has written, and that is not recorded yet", Remedy.sync))
    }
    let suspicions = try capture.suspicions()
    for (suspicion, tables) in Dictionary(
      grouping: suspected, by: { suspicions[SQLName($0)] ?? .dropped }
    ).sorted(by: { $0.key < $1.key }) {
      let list = SyncReport.Uncaptured.list(tables)
      findings.append(
        finding(
          .warning,
          "\(suspicion.text(list)); \(tables.count == 1 ? "it" : "they") must be compared with the logs",
          Remedy.sync))
    }
    if let unknown = try unknownWrites() {
      findings.append(finding(.warning, unknown, Remedy.sync))
    }
    if let found = try UncapturedWrites(Settings(connection)) {
      // After what programs usually do when they are updated, nothing is left to do.
      let isUsual = try capture.isUsed() && found.suspicion.isUsual
      findings.append(
        finding(
          isUsual ? .note : .warning,
          "\(SyncReport.Uncaptured(rows: found.rows, tables: found.tables)); found by comparison "
            + "and recorded at \(Timestamp.text(milliseconds: found.milliseconds))",
          try capture.isUsed()
            ? found.suspicion.remedy(isOne: found.tables.count == 1)
            : "run `tributary attach` with --capture triggers if other programs write"))
    }
    return findings
  }

  private func finding(
    _ severity: Finding.Severity, _ text: String, _ remedy: String
  ) -> Finding {
    Finding(.foreignWrites, severity, path: connection.path, text, remedy: remedy)
  }

  /// Returns what is known about a store without triggers whose last commit is not its own.
  ///
  /// - Returns: `nil` if nothing was written.
  private func unknownWrites() throws -> String? {
    guard try ForeignCapture(connection).isBroken() else { return nil }
    let text =
      "another program may have written, which nothing has captured: the tables must be "
      + "compared with the logs"
    guard let comparison else { return text }
    do {
      guard let found = try comparison.run(ReplicatedSchema.names(in: connection)) else {
        return text
      }
      if found.differences.isEmpty { return nil }
      return
        "\(SyncReport.Uncaptured(rows: found.differences.count, tables: found.tables)), and it is not recorded yet"
    } catch {
      return text + "; now they cannot be (\(error))"
    }
  }
}

extension Suspicion {
  /// Whether the triggers capture again, without further action, what is written from now on.
  fileprivate var isUsual: Bool {
    switch self {
    case .new, .changed, .rebuilt, .keyless: true
    case .untriggered, .dropped: false
    }
  }

  /// Returns what has happened to the tables.
  fileprivate func text(_ tables: String) -> String {
    switch self {
    case .new: "another program has made \(tables)"
    case .changed: "another program has added columns to \(tables)"
    case .rebuilt: "another program has built \(tables) anew"
    case .keyless: "rows of \(tables) have had NULL in their key"
    case .untriggered: "another program may have written \(tables) while nothing captured it"
    case .dropped: "somebody has dropped triggers that capture writes of \(tables)"
    }
  }

  /// Returns what to do about writes that a comparison has found, in a store with triggers.
  fileprivate func remedy(isOne: Bool) -> String {
    let now = "; nothing needs to be done, triggers capture what comes now"
    return switch self {
    case .new: (isOne ? "the table is new" : "the tables are new") + now
    case .changed: "a program had added columns" + now
    case .rebuilt: "a program had built \(isOne ? "the table" : "tables") anew" + now
    case .keyless: "rows had NULL in their key" + now
    case .untriggered:
      "find out which program writes past the triggers: with triggers switched off, or into blobs in place"
    case .dropped: "find out which program dropped the triggers; they are there again"
    }
  }
}
