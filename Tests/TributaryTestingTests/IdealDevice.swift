import TributaryCore
import TributaryTesting

/// A device that shows what the definition says and nothing else, without any store.
struct IdealDevice {
  enum Outcome: Equatable { case committed, nothing, refused, stopped }

  let peer: PeerIdentity
  let schema: ReferenceSchema
  let createStatements: [String]
  private(set) var known: [ReferenceTransaction] = []
  /// What it has known one after another.
  private(set) var versions: [Knowledge] = [Knowledge()]

  init(_ number: UInt64, _ generator: HistoryGenerator) {
    peer = PeerIdentity(high: 0, low: number)
    schema = generator.schema
    createStatements = generator.createStatements
  }

  static func fresh(_ table: String, _ number: Int64, _ numbering: ReferenceTransaction?) -> Int64 {
    var mixed = SeededGenerator(seed: UInt64(bitPattern: number))
    let name: [UInt64] = numbering.map { [$0.stamp.peer.low, $0.sequence.rawValue] } ?? [0, 0]
    for part in table.utf8.map(UInt64.init) + name {
      mixed = SeededGenerator(seed: mixed.next() ^ part)
    }
    return -1 - Int64(mixed.next() >> 12)
  }

  var state: ReferenceState { merge(known, schema: schema, fresh: Self.fresh) }

  var knowledge: Knowledge {
    Knowledge(known.map { Knowledge.Entry(peer: $0.stamp.peer, sequence: $0.sequence) })
  }

  mutating func learn(from other: IdealDevice) {
    let own = knowledge
    known += other.known.filter { own[$0.stamp.peer] < $0.sequence }
    versions.append(knowledge)
  }

  /// A database that holds what the device shows.
  ///
  /// - Throws: `Database.Failure` when the constraints do not allow that.
  func database(showing contents: ReferenceContents) throws -> Database {
    let database = try Database(schema: schema, createStatements: createStatements)
    for table in schema.tables {
      let names = table.columns.map(\.name)
      let marks = names.map { _ in "?" }.joined(separator: ", ")
      for (_, row) in contents.rows(of: table.name) {
        let sql = "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(marks))"
        guard try database.run(sql, names.map { row[$0]! }) != nil else {
          throw Database.Failure(message: "\(table.name) does not take \(row)")
        }
      }
    }
    let orphans = try database.run("PRAGMA foreign_key_check") ?? []
    guard orphans.isEmpty else { throw Database.Failure(message: "without parents: \(orphans)") }
    _ = try database.run("PRAGMA foreign_keys = ON")
    return database
  }

  /// Lets the device run a write, which it refuses when that could not be seen.
  mutating func perform(
    _ next: (ReferenceContents) -> RandomWrite, at time: UInt64, basis: Knowledge? = nil
  ) throws -> Outcome {
    let before = state
    let database = try database(showing: before.visible)
    let done = try database.perform(next(before.visible))
    if !done.committed { return .stopped }
    let after = try database.contents()
    var changes = changes(
      before: before.visible, after: after, reinserted: done.reinserted, schema: schema)
    if changes.isEmpty { return .nothing }
    let takeovers = changes.filter { before.held[identity($0)] != nil && mayTakeOver($0) }
    changes =
      takeovers.map { ReferenceChange(.update, table: $0.table, key: $0.key) } + changes
    var others = knowledge
    others[peer] = .zero
    let transaction = ReferenceTransaction(
      stamp: Stamp(time: HybridTime(milliseconds: time, counter: 0), peer: peer),
      sequence: knowledge[peer].next, knowledge: others, basis: basis, changes: changes)
    if changes.contains(where: {
      $0.putsRow && before.held[identity($0)] != nil && !takeovers.contains($0)
    }) {
      return .refused
    }
    let now = merge(known + [transaction], schema: schema, fresh: Self.fresh)
    for change in changes where change.operation != .delete {
      let identity = identity(change)
      if now.held[identity] != nil { return .refused }
      // Columns that it did not write may show a parent that is there again.
      for (column, value) in change.values {
        // What is based on an earlier version may mean a row that has another number by now.
        if basis != nil { continue }
        guard let shown = now.visible[identity]?[column], shown.isIdentical(to: value) else {
          throw Database.Failure(message: "\(change) shows otherwise: \(now.visible)")
        }
      }
    }
    known.append(transaction)
    versions.append(knowledge)
    return .committed
  }

  /// Whether an insert gives its number to a new row, even where a held row has that number.
  private func mayTakeOver(_ change: ReferenceChange) -> Bool {
    guard change.operation == .insert, schema[change.table].hasNumberings,
      case .integer(let number) = change.key[0]
    else { return false }
    // A fresh number means its row; nobody else writes such large ones.
    return number > -1_000_000
  }

  private func identity(_ change: ReferenceChange) -> ReferenceRowIdentity {
    let table = schema[change.table]
    return ReferenceRowIdentity(table: table.name, key: table.canonical(change.key))
  }
}
