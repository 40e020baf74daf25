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
    /// Whether it existed when the transaction began.
    var isOld: Bool
    /// Whether the transaction had written it.
    var isWritten: Bool
  }

  private var departures: [Departure] = []

  var count: Int { departures.count }

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
          table: name, phrase: phrase, isOld: original.table(named: name) != nil,
          isWritten: shapes.contains { SQLName($0.table) == SQLName(name) }))
    }
  }

  /// Checks that no log names what was removed.
  ///
  /// - Parameters:
  ///   - hasLogs: whether any log may name the former tables.
  ///   - new: the final state of the tables.
  /// - Throws: `StoreError.schemaChange` if something that a log names is gone.
  func check(hasLogs: () throws -> Bool, now new: ReplicatedSchema, path: String) throws {
    if departures.isEmpty { return }
    let isBinding = try hasLogs()
    guard let first = departures.first(where: { $0.isWritten || $0.isOld && isBinding }) else {
      return
    }
    let isMadeAnew = new.table(named: first.table) != nil
    throw StoreError(
      .schemaChange,
      "\(first.phrase) would be gone or renamed\(isMadeAnew ? ", and what is made anew another one" : ""), "
        + "and the logs that have it could not be merged any more",
      path: path,
      remedy: isMadeAnew
        ? "keep the table: take its rows away with DELETE and insert what is wanted, and add new columns with "
          + "ALTER TABLE … ADD COLUMN or in a table beside it"
        : "keep it, empty if need be, and add what is new beside it")
  }
}
