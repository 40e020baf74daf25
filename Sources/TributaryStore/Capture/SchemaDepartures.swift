import TributaryCore
import TributaryLog

/// The replicated tables and columns that the open transaction has dropped or renamed, statement by
/// statement. A table that is created again under its old name is a different table, unless it has all rows
/// of the former one: then it is that table, rebuilt.
///
/// Logs name tables and columns forever, and nothing in them says that their rows were dropped with a table.
struct SchemaDepartures {
  private struct Departure {
    var table: String
    /// The first column that is gone; `nil` if the whole table is.
    var column: String?
    /// Whether it existed when the transaction began.
    var isOld: Bool
    /// Whether the transaction had written it.
    var isWritten: Bool

    var phrase: String {
      column.map { "column \($0) of table \(table)" } ?? "table \(table)"
    }
  }

  private var departures: [Departure] = []

  var count: Int { departures.count }

  /// The tables concerned.
  var tables: Set<SQLName> { Set(departures.map { SQLName($0.table) }) }

  /// Discards the later departures, which were rolled back.
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
    let gone = old.tables.filter { $0.refusal == nil }.filter {
      new.isGone(from: $0.shape)
    }
    if gone.isEmpty { return }
    let shapes = try written()
    for table in gone {
      departures.append(
        Departure(
          table: table.name, column: new.firstGoneColumn(from: table.shape),
          isOld: original.table(named: table.name) != nil,
          isWritten: shapes.contains { SQLName($0.table) == SQLName(table.name) }))
    }
  }

  /// Checks that no log names what was removed, unless a migration has declared it.
  ///
  /// - Parameters:
  ///   - original: the tables as they were when the transaction began.
  ///   - present: the tables now.
  ///   - names: what migrations have declared, including the one that is running.
  ///   - hasLogs: whether any log may name the former tables.
  /// - Returns: the tables that were rebuilt.
  /// - Throws: `StoreError` with the code `schemaChange` if something that a log names is gone.
  func check(
    _ original: ReplicatedSchema?, _ present: ReplicatedSchema, names: () throws -> NameChanges,
    hasLogs: () throws -> Bool, path: String
  ) throws -> [RebuiltTable] {
    guard let original, !departures.isEmpty else { return [] }
    let isBinding = try hasLogs()
    var rebuilt: [RebuiltTable] = []
    if isBinding {
      let names = try names()
      for departure in departures where departure.isOld {
        guard let table = original.table(named: departure.table) else { continue }
        let successor = try successor(of: table, departure, present, names, path)
        if departure.column != nil, departure.isWritten { throw refusal(departure, path) }
        guard departure.column == nil, let successor,
          !rebuilt.contains(where: { $0.old.name == table.name })
        else { continue }
        rebuilt.append(RebuiltTable(old: table, new: successor, names: names, path: path))
      }
    }
    if let first = departures.first(where: {
      $0.isWritten && !($0.isOld && isBinding) && ($0.column != nil || rebuilt.isEmpty)
    }) {
      throw refusal(first, path)
    }
    return rebuilt
  }

  /// Returns the table that replaces a former one; `nil` if a migration has dropped it.
  private func successor(
    of table: TableDescription, _ departure: Departure, _ present: ReplicatedSchema,
    _ names: NameChanges, _ path: String
  ) throws -> TableDescription? {
    switch names.meaning(of: table.name, among: present) {
    case .dropped: return nil
    case .unknown: throw refusal(departure, path)
    case .present(let name):
      guard let successor = present.table(named: name) else { throw refusal(departure, path) }
      // A column that was dropped and added again has lost its values.
      if let column = departure.column, successor.shape.position(of: column) != nil {
        throw refusal(departure, path)
      }
      for column in table.shape.columns {
        guard names.meaning(of: column, in: table.name, among: successor) != .unknown else {
          throw refusal(
            Departure(table: table.name, column: column, isOld: true, isWritten: false), path)
        }
      }
      return successor
    }
  }

  private func refusal(_ departure: Departure, _ path: String) -> StoreError {
    if departure.isOld, departure.isWritten, departure.column != nil {
      return StoreError(
        .schemaChange,
        "\(departure.phrase) would be dropped or renamed in a transaction that has written the table",
        path: path, remedy: "write its rows in a migration of their own")
    }
    return StoreError(
      .schemaChange, "\(departure.phrase) would be dropped or renamed, but the logs name it",
      path: path,
      remedy: departure.column == nil
        ? "declare it in a migration (`-- tributary: rename … to …` or `drop …`), or keep the table, and add what "
          + "is new beside it"
        : "declare it in a migration (`-- tributary: rename … to …` or `drop …`), or keep the column, and add new "
          + "columns beside it")
  }
}
