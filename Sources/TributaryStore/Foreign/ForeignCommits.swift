import TributaryCore
import TributarySQLite

/// What is known about the commits of other programs since the store's last own commit.
struct ForeignCommits: Sendable {
  enum Kind: Sendable {
    /// There are none.
    case none
    /// Triggers have captured them, as far as they wrote to tables that have triggers.
    case captured
    /// They may have written something that was not captured.
    case unknown
  }

  var kind: Kind
  /// Whether the log shows commits of other programs. If it does not, the file may only have been copied, or
  /// restored from a backup.
  var isShown = false
  /// The ways in the journals; `nil` if they are unknown.
  var ways: JournalWays?

  /// The value by which the bookkeeping records that the log has shown commits of other programs.
  static let certainDoubt: Int64 = 2

  /// Returns the value that the bookkeeping records for unknown commits.
  static func doubt(isShown: Bool) -> Int64 { isShown ? certainDoubt : 1 }
}

extension ForeignCapture {
  /// Examines the commits since the store's last own commit, in a store with triggers.
  ///
  /// If the log still has them, each one must have written to a journal, or to no page of a table that has
  /// triggers. If it does not, entries in the journals must serve as evidence.
  ///
  /// - Complexity: O(pages written since); reads the tables if a commit has journalled nothing.
  func commits(_ state: State, _ head: LogHead) throws -> ForeignCommits {
    if state.isDoubted {
      return ForeignCommits(kind: .unknown, isShown: state.isCertain, ways: nil)
    }
    if let known = connection.cache[Known.self], known.place == head.place,
      known.places == state.places, !head.isEmpty
    {
      return known.commits
    }
    let isSealed = !state.places.isEmpty && connection.writtenNanoseconds == state.seal
    var start = head.isEmpty ? nil : state.places.filter { $0.isInLog(of: head.place) }.max()
    let isOwn = start != nil
    // The file contains every commit before this log, and the last of them was the store's own.
    if start == nil, isSealed { start = connection.beginning(of: head) }
    guard let start else {
      return ForeignCommits(kind: try hasEntries() ? .captured : .unknown, ways: nil)
    }
    var ways = JournalWays(roots: try roots(), text: try Settings(connection).text(.ways))
    var count = 0
    var others: Set<UInt32>? = []
    let isRead = connection.forEachTransaction(from: start, to: head) { transaction in
      count += 1
      let isJournalled = ways.follow(transaction)
      if isJournalled || isOwn && count == 1 { return }
      others?.formUnion(transaction.pages)
      if others?.count ?? 0 > Self.mostPages { others = nil }
    }
    let isCaptured = try isRead && isUnconcerned(others)
    let kind: ForeignCommits.Kind =
      !isCaptured ? .unknown : count > (isOwn ? 1 : 0) ? .captured : .none
    let commits = ForeignCommits(kind: kind, isShown: true, ways: ways)
    // What could not be read says nothing.
    if isRead, !head.isEmpty {
      connection.cache[Known.self] = Known(
        place: head.place, places: state.places, commits: commits)
    }
    return commits
  }

  /// The result of an examination, since examining a long log takes long.
  private struct Known: Sendable {
    var place: LogPlace
    var places: [LogPlace]
    var commits: ForeignCommits
  }

  /// If there are more pages than this, they are not looked up.
  private static let mostPages = 1 << 16

  /// Whether none of these pages belongs to a table that has triggers. A table that has lost its triggers is
  /// suspected for that reason, and a new table has none.
  private func isUnconcerned(_ pages: Set<UInt32>?) throws -> Bool {
    guard let pages else { return false }
    if pages.isEmpty { return true }
    let prefix = SQLName(CaptureTriggers.prefix + "insert_")
    let statement = try connection.prepare(
      """
      SELECT name, (SELECT name FROM main.sqlite_schema AS t WHERE t.type = 'table'
        AND t.name = s.tbl_name COLLATE NOCASE)
      FROM main.sqlite_schema AS s WHERE type = 'trigger'
      """)
    var tables: [String] = []
    while try statement.step() {
      if SQLName(statement.string(0)).hasPrefix(prefix.text) { tables.append(statement.string(1)) }
    }
    return try connection.ownsAny(of: pages, tables) == false
  }

  /// Returns the root pages of the journals.
  private func roots() throws -> [UInt32] {
    let statement = try connection.prepare(
      "SELECT name, rootpage FROM main.sqlite_schema WHERE type = 'table' ORDER BY rowid")
    var roots: [UInt32] = []
    while try statement.step() {
      guard SQLName(statement.string(0)).hasPrefix(CaptureTriggers.journalPrefix) else { continue }
      roots.append(UInt32(truncatingIfNeeded: statement.integer(1)))
    }
    return roots
  }
}
