import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

/// The parts of a joining database that lose against the logs: the first transactions of its store.
///
/// Without a horizon, their author knew nothing, at time zero, so they lose without further measures. Where
/// the devices have agreed on a horizon, that cannot be merged. There they form a pair, as for a store that
/// comes back (rule 12 of `docs/space-return.md`): the transaction that loses knows exactly the horizon, and
/// another one, which does not know of the first, writes what the store shows.
struct JoiningLosses: ~Copyable {
  private let isPair: Bool
  private let shown: ShownRows
  private let schema: ReplicatedSchema
  private var lost: JoiningRecord
  private var restored: JoiningRecord

  init(
    _ connection: Connection, _ schema: ReplicatedSchema, beneath horizon: Declaration?,
    schemaNumber: UInt32
  ) throws {
    let log = horizon.map {
      ReissueLog(connection: connection, declaration: $0, schema: schema)
    }
    let records = try [1, 2].map { (number: UInt64) in
      try log?.record(number)
        ?? Outbox.Record(
          sequence: SequenceNumber(number), time: .zero, schema: schemaNumber, basis: nil)
    }
    isPair = horizon != nil
    self.schema = schema
    shown = ShownRows(connection, schema)
    lost = JoiningRecord(records[0], connection)
    restored = JoiningRecord(records[1], connection)
  }

  /// Makes columns lose in a row that the store shows or holds.
  ///
  /// - Parameters:
  ///   - row: the row of the database.
  ///   - names: the numbers to write in place of those that rows have taken over.
  mutating func update(
    _ row: [Value], of number: Int, _ columns: Set<Int>, _ shape: UInt32,
    _ names: NumberSubstitution
  ) throws {
    try lost.update(names.row(row, of: number), columns, shape)
    guard isPair, let now = try shown.row(schema.tables[number].identity(row, number: number))
    else { return }
    try restored.update(names.row(now, of: number), columns, shape)
  }

  /// Makes a row lose that the store neither shows nor holds.
  mutating func replace(
    _ row: [Value], of number: Int, _ shape: UInt32, _ names: NumberSubstitution
  ) throws {
    // This is not a numbering: the row is the one that the logs have under that number.
    let row = names.row(row, of: number)
    try lost.put(row, .replace, shape)
    if isPair { try restored.delete(schema.tables[number].key(of: row), shape) }
  }

  /// Adds a row that is visible until the logs contain something else about it.
  mutating func insert(_ row: [Value], _ shape: UInt32) throws {
    try lost.put(row, .insert, shape)
  }

  /// Writes what remains.
  ///
  /// - Returns: the number of transactions.
  consuming func finish() throws -> UInt64 {
    let hasLost = try lost.finish()
    let hasRestored = try restored.finish()
    return (hasLost ? 1 : 0) + (hasRestored ? 1 : 0)
  }
}
