import TributaryCore
import TributaryTesting

/// A history made by hand, and what comes of it, as texts that can be read.
struct Story {
  let schema: ReferenceSchema
  private(set) var transactions: [ReferenceTransaction] = []

  init(_ tables: ReferenceTable...) { schema = ReferenceSchema(tables: tables) }

  /// A transaction.
  ///
  /// - Parameters:
  ///   - author: a number; its sequence counts itself.
  ///   - knowing: what it has imported, and with them all that they know.
  ///   - basis: what it is judged by, its own earlier ones among it; `nil` for none.
  @discardableResult
  mutating func write(
    _ author: UInt64, at time: UInt64, knowing others: [ReferenceTransaction] = [],
    basis: [ReferenceTransaction]? = nil, _ changes: ReferenceChange...
  ) -> ReferenceTransaction {
    let peer = Self.peer(author)
    let own = transactions.filter { $0.stamp.peer == peer }
    var knowledge = Self.knowledge(own + others)
    knowledge[peer] = .zero
    let transaction = ReferenceTransaction(
      stamp: Stamp(time: HybridTime(milliseconds: time, counter: 0), peer: peer),
      sequence: SequenceNumber(UInt64(own.count + 1)), knowledge: knowledge,
      basis: basis.map(Self.knowledge), changes: changes)
    transactions.append(transaction)
    return transaction
  }

  static func peer(_ author: UInt64) -> PeerIdentity { PeerIdentity(high: 0, low: author) }

  private static func knowledge(_ transactions: [ReferenceTransaction]) -> Knowledge {
    transactions.reduce(into: Knowledge()) { knowledge, transaction in
      knowledge.formUnion(transaction.knowledge)
      let peer = transaction.stamp.peer
      knowledge[peer] = max(knowledge[peer], transaction.sequence)
    }
  }

  /// The number of a displaced row: −100 · author − 10 · sequence − number; of the first holder −number.
  static func fresh(_ table: String, _ number: Int64, _ numbering: ReferenceTransaction?) -> Int64 {
    guard let numbering else { return -number }
    return -100 * Int64(numbering.stamp.peer.low) - 10 * Int64(numbering.sequence.rawValue) - number
  }

  var state: ReferenceState { merge(transactions.reversed(), schema: schema, fresh: Self.fresh) }

  /// The visible rows of a table: the values in the order of its columns.
  func visible(_ table: String = "t") -> [String] { rows(state.visible, table) }

  func held(_ table: String = "t") -> [String] { rows(state.held, table) }

  private func rows(_ contents: ReferenceContents, _ table: String) -> [String] {
    contents.rows(of: table).map { entry in
      schema[table].columns.map { entry.row[$0.name]!.literal }.joined(separator: " ")
    }
  }

  /// Table, key, kind, values by column, winner and loser by author and sequence.
  var conflicts: [String] {
    func name(_ side: ReferenceSide) -> String { "\(side.peer.low).\(side.sequence)" }
    return state.conflicts.map { conflict in
      let values = conflict.values.sorted { $0.key < $1.key }
        .map { "\($0.key)=\($0.value.literal)" }.joined(separator: " ")
      let key = conflict.key.map(\.literal).joined(separator: ",")
      let kind = (conflict.isHeld ? "held, " : "") + conflict.kind.rawValue
      return "\(conflict.table) \(key) \(kind) \(values); "
        + "\(name(conflict.winner)) over \(name(conflict.loser))"
    }
  }
}

func insert(in table: String = "t", _ key: Value..., values: [String: Value] = [:])
  -> ReferenceChange
{
  ReferenceChange(.insert, table: table, key: key, values: values)
}

func replace(in table: String = "t", _ key: Value..., values: [String: Value] = [:])
  -> ReferenceChange
{
  ReferenceChange(.replace, table: table, key: key, values: values)
}

func update(in table: String = "t", _ key: Value..., values: [String: Value]) -> ReferenceChange {
  ReferenceChange(.update, table: table, key: key, values: values)
}

func delete(in table: String = "t", _ key: Value...) -> ReferenceChange {
  ReferenceChange(.delete, table: table, key: key)
}

/// A table whose key is `k`.
func table(
  _ name: String = "t", _ columns: ReferenceColumn..., generated: Bool = false,
  unique: [ReferenceUniqueKey] = [], foreign: [ReferenceForeignKey] = []
) -> ReferenceTable {
  ReferenceTable(
    name: name, columns: [ReferenceColumn("k")] + columns, keyColumns: [ReferenceKeyColumn("k")],
    hasGeneratedKeys: generated, uniqueKeys: unique, foreignKeys: foreign)
}

func reference(
  _ column: String, to parent: String, _ parentColumn: String = "k",
  onDelete: ReferenceForeignKey.Action = .noAction
) -> ReferenceForeignKey {
  ReferenceForeignKey(
    [column], to: parent, [ReferenceKeyColumn(parentColumn)], onDelete: onDelete)
}
