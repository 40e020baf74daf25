import TributaryCore
import TributarySQLite

/// The tables that must be compared with the logs.
extension ForeignCapture {
  /// Returns the tables into which other programs may have written something that no journal contains.
  package func suspected() throws -> [String] {
    try Settings(connection).lines(.suspected)
  }

  /// Returns why each of these tables is suspected, as far as that is recorded.
  package func suspicions() throws -> [SQLName: Suspicion] {
    Dictionary(
      try Settings(connection).lines(.causes).compactMap { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let suspicion = Suspicion(rawValue: String(parts[0])) else {
          return nil
        }
        return (SQLName(String(parts[1])), suspicion)
      }, uniquingKeysWith: max)
  }

  func suspect(_ tables: [SuspectedTable]) throws {
    if tables.isEmpty { return }
    let all = try Set((suspected() + tables.map(\.name)).map { SQLName($0) })
    try Settings(connection).set(.suspected, lines: all.sorted().map(\.text))
    let causes = try suspicions().merging(
      tables.map { (SQLName($0.name), $0.suspicion) }, uniquingKeysWith: max)
    try Settings(connection).set(
      .causes, lines: causes.map { "\($0.value.rawValue) \($0.key.text)" }.sorted())
  }

  /// Records that these tables have been compared.
  package func acquit() throws {
    try Settings(connection).set(.suspected, nil)
    try Settings(connection).set(.causes, nil)
    try Settings(connection).set(.doubted, nil)
    try vouch()
  }

  /// Records that everything committed before the open transaction has been captured or found.
  package func vouch() throws {
    guard let own = connection.observer as? OwnCommits else { return }
    // A transaction that commits nothing leaves no mark in the log.
    try CommitSeal(connection).draw()
    try own.vouch(connection)
  }
}
