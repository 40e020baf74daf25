import TributarySQLite

/// For each journal, the pages from its root to the page with its last entry. Whether a transaction in the
/// write-ahead log has journalled anything follows from the pages that it has written, because each entry is
/// appended to the last page of a journal.
struct JournalWays: Equatable, Sendable {
  /// For each journal, the root and the last page at each level below it.
  private var ways: [[UInt32]]

  /// Makes the ways in journals that have no entries.
  ///
  /// - Parameter roots: the root pages of the journals.
  init(roots: [UInt32]) { ways = roots.map { [$0] } }

  /// Reads ways from what `text` returned.
  ///
  /// - Parameter roots: the root pages of the current journals.
  init(roots: [UInt32], text: String?) {
    let known = (text ?? "").split(separator: ";").map { way in
      way.split(separator: " ").compactMap { UInt32($0) }
    }
    ways = roots.map { root in known.first { $0.first == root } ?? [root] }
  }

  /// The ways that lead beyond the root; `nil` if none does.
  var text: String? {
    let long = ways.filter { $0.count > 1 }
    if long.isEmpty { return nil }
    return long.map { $0.map { "\($0)" }.joined(separator: " ") }.joined(separator: ";")
  }

  /// A table has fewer levels than this.
  private static let mostLevels = 40

  /// Follows the ways through a transaction, in the order of the log.
  ///
  /// - Returns: whether it has appended to a journal.
  mutating func follow(_ transaction: LoggedTransaction) -> Bool {
    var hasWritten = false
    for index in ways.indices {
      let known = ways[index]
      var way = [known[0]]
      while let page = way.last, way.count < Self.mostLevels {
        let level = way.count - 1
        switch transaction.tablePage(page) {
        case .leaf:
          hasWritten = true
        case .interior(let last):
          way.append(last)
          continue
        case .unwritten where level + 1 < known.count && known[level] == page:
          way.append(known[level + 1])
          continue
        case .unwritten: break
        }
        break
      }
      ways[index] = way
    }
    return hasWritten
  }
}
