internal import TributaryContainer
internal import TributaryCore
internal import TributaryLog
internal import TributaryReplay

/// Collects a report's information about transactions while logs are read.
final class ReportVisitor: TransactionVisitor {
  /// The progress through the transactions of one peer.
  private struct Progress {
    var knowledge = Knowledge()
    /// The knowledge at the last transaction that passed the filter.
    var shown: [Int: SequenceNumber] = [:]
  }

  /// What has been read of the current transaction.
  private struct Draft {
    var peer: Int
    var content: Int
    var header: TransactionHeader
    var parts: [Int?: ChangeTally] = [:]
    var isWanted: Bool
  }

  private var filter: TransactionFilter
  private let limits: ReportLimits
  private let registry: Registry
  private let finder: ConflictFinder
  private var declarations: [Int: MergeDeclarations] = [:]
  /// By content with renamings: the shapes with the newest names.
  private var newest: [Int: [TableShape: TableShape]] = [:]
  private var progress: [Int: Progress] = [:]
  private var draft: Draft?
  private(set) var tables: TableRegistry
  private(set) var recent: RecentTransactions
  private(set) var growth: ReportBuckets
  private(set) var total = ReportTally()

  /// Shared by those that need it while it grows.
  final class Registry {
    var peers: PeerRegistry
    var contents: [String] = []

    init(_ limits: ReportLimits) { peers = PeerRegistry(limits) }

    /// Returns the number of a content name.
    func number(ofContent name: String) -> Int {
      if let number = contents.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
        return number
      }
      contents.append(name)
      return contents.count - 1
    }
  }

  /// Makes a visitor.
  ///
  /// - Throws: `SQLiteError` if there is no space for temporary files.
  init(_ filter: TransactionFilter, _ limits: ReportLimits, _ registry: Registry) throws {
    self.filter = filter
    self.limits = limits
    self.registry = registry
    finder = try ConflictFinder(limit: limits.conflicts) { registry.peers[$0].identity }
    tables = TableRegistry(limits)
    recent = RecentTransactions(limits)
    growth = ReportBuckets(width: 86_400_000, limit: limits.days)
  }

  var conflicts: ConflictList { finder.list }

  /// Returns what each peer knew at its last transaction.
  func knowledge(of peer: Int) -> Knowledge { progress[peer]?.knowledge ?? Knowledge() }

  func add(_ schema: ManifestSchema, content: Int) {
    declarations[content, default: MergeDeclarations()].add(schema)
    filter.followNames(schema, content: registry.contents[content])
  }

  // MARK: Visiting

  func begin(_ transaction: TransactionHeader, in segment: SegmentHeader) {
    let peer = registry.peers.number(of: segment.peer)
    let content = registry.number(ofContent: segment.contentName)
    if registry.peers[peer].content == nil { registry.peers[peer].content = content }
    draft = Draft(
      peer: peer, content: content, header: transaction, isWanted: !filter.selectsChanges)
    finder.begin(transaction, by: peer)
  }

  func take(_ change: ChangeView, _ shape: TableShape) throws {
    guard let content = draft?.content,
      try filter.includes(change, shape, in: registry.contents[content])
    else { return }
    let merge = declarations[content]
    // Two peers may write the same row under different names of its table.
    let named = merge.map { newest(shape, content, $0) } ?? shape
    let table = tables.number(of: named.table, content: content)
    draft?.isWanted = true
    draft?.parts[table, default: ChangeTally()].add(change)
    if merge?.leavesNoConflicts(named) == true { return }
    let changed = try RowChange(
      change, named, ignoring: merge?.policies(of: named.table) ?? [:])
    try finder.take(
      changed, row: changed.row(table: named.table, content: content, named), table: table,
      isNatural: merge?.isNatural(named.table) ?? false)
  }

  private func newest(
    _ shape: TableShape, _ content: Int, _ declarations: MergeDeclarations
  ) -> TableShape {
    guard declarations.hasRenamings else { return shape }
    if let known = newest[content]?[shape] { return known }
    let found = declarations.newest(shape)
    newest[content, default: [:]][shape] = found
    return found
  }

  func end() {
    guard let draft else { return }
    self.draft = nil
    // A complete transaction of a damaged log may stand for something that comes later.
    let isWanted =
      draft.isWanted && filter.includes(registry.peers[draft.peer].identity)
      && filter.includes(draft.header)
    follow(draft)
    finder.end(isListed: isWanted)
    if isWanted { record(draft) }
  }

  /// Keeps track of what each peer knows, regardless of the filter.
  private func follow(_ draft: Draft) {
    let knowledge = draft.header.knowledge
    guard progress[draft.peer]?.knowledge != knowledge else { return }
    for entry in knowledge.entries { _ = registry.peers.number(mentioned: entry.peer) }
    progress[draft.peer, default: Progress()].knowledge = knowledge
  }

  private func record(_ draft: Draft) {
    var rises: [ReportTransaction.Rise] = []
    for entry in draft.header.knowledge.entries {
      guard let peer = registry.peers.number(mentioned: entry.peer),
        entry.sequence > progress[draft.peer]?.shown[peer] ?? .zero
      else { continue }
      progress[draft.peer]?.shown[peer] = entry.sequence
      rises.append(.init(peer: peer, sequence: entry.sequence))
    }
    let transaction = ReportTransaction(
      peer: draft.peer, sequence: draft.header.sequence, time: draft.header.time,
      parts: parts(draft.parts), rises: rises)
    for (table, counts) in draft.parts { tables.add(counts, to: table) }
    total.add(
      transaction.sequence, changes: transaction.changes, bytes: transaction.bytes)
    let milliseconds = transaction.time.milliseconds
    registry.peers[draft.peer].tally.add(
      transaction.sequence, changes: transaction.changes, bytes: transaction.bytes)
    let times = registry.peers[draft.peer].times ?? milliseconds...milliseconds
    registry.peers[draft.peer].times =
      min(times.lowerBound, milliseconds)...max(times.upperBound, milliseconds)
    growth.add(transaction, peer: 0)
    recent.append(transaction)
  }

  /// Returns the parts that a report shows, and one for all the others.
  private func parts(_ counts: [Int?: ChangeTally]) -> [ReportTransaction.Part] {
    let sorted = counts.map { ReportTransaction.Part(table: $0.key, counts: $0.value) }
      .sorted {
        ($1.counts.changeCount, $0.table ?? .max) < ($0.counts.changeCount, $1.table ?? .max)
      }
    guard sorted.count > limits.tablesOfTransaction else { return sorted }
    var others = ChangeTally()
    let shown = sorted.filter { $0.table != nil }.prefix(limits.tablesOfTransaction)
    let names = Set(shown.map(\.table))
    for part in sorted where !names.contains(part.table) { others += part.counts }
    return shown + [ReportTransaction.Part(table: nil, counts: others)]
  }
}
