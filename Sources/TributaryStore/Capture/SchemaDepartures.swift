import TributaryCore
import TributaryLog

/// The replicated tables and columns that the open transaction has dropped or renamed, statement by
/// statement. A table that is created anew under its old name is still a different one.
///
/// Logs name tables and columns forever, and nothing in them says that their rows were dropped with a table.
struct SchemaDepartures {
  private struct Departure {
    var table: String
    var phrase: String
    /// Whether the whole table is gone, and not only a column.
    var isTable: Bool
    /// Whether it existed when the transaction began.
    var isOld: Bool
    /// Whether the transaction had written it.
    var isWritten: Bool
  }

  private var departures: [Departure] = []

  var count: Int { departures.count }

  /// The tables concerned.
  var tables: Set<SQLName> { Set(departures.map { SQLName($0.table) }) }

  /// Discards the later ones, which were rolled back.
  mutating func truncate(to count: Int) {
    departures.removeLast(departures.count - count)
  }

  /// Records what one statement has removed.
  ///
  /// - Parameters:
  ///   - original: the tables as they were when the transaction began.
  ///   - written: the tables that the transaction has written so far.
  mutating func note(
    from old: ReplicatedSchema, to new: ReplicatedSchema, original: ReplicatedSchema,
    written: () throws -> [TableShape]
  ) rethrows {
    let gone = old.tables.filter { $0.refusal == nil }.compactMap { table in
      new.firstGone(from: table.shape).map { (table.name, $0) }
    }
    if gone.isEmpty { return }
    let shapes = try written()
    for (name, phrase) in gone {
      departures.append(
        Departure(
          table: name, phrase: phrase, isTable: new.table(named: name) == nil,
          isOld: original.table(named: name) != nil,
          isWritten: shapes.contains { SQLName($0.table) == SQLName(name) }))
    }
  }

  /// Checks that no log names what was removed.
  ///
  /// - Parameter hasLogs: whether any log may name the former tables.
  /// - Throws: `StoreError.schemaChange` if something that a log names is gone.
  func check(hasLogs: () throws -> Bool, path: String) throws {
    if departures.isEmpty { return }
    let isBinding = try hasLogs()
    guard let first = departures.first(where: { $0.isWritten || $0.isOld && isBinding }) else {
      return
    }
    throw StoreError(
      .schemaChange, "\(first.phrase) would be dropped or renamed, but the logs name it",
      path: path,
      remedy: first.isTable
        ? "keep the table (empty it with DELETE), and add what is new beside it"
        : "keep the column, and add new columns beside it")
  }
}
