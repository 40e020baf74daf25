import TributaryCore
import TributaryLog

/// What the open transaction has dropped or renamed of the replicated tables, statement by
/// statement: one that is made anew under its old name is still another one.
///
/// Logs name tables and columns for ever, and nothing in them says that their rows went with a table.
struct SchemaDepartures {
  private struct Departure {
    var table: String
    var phrase: String
    /// It was there when the transaction began.
    var isOld: Bool
    /// The transaction had written it.
    var isWritten: Bool
  }

  private var departures: [Departure] = []

  var count: Int { departures.count }

  /// Forgets the later ones, which were taken back.
  mutating func truncate(to count: Int) {
    departures.removeLast(departures.count - count)
  }

  /// Notes what one statement has taken away.
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

  /// - Parameters:
  ///   - hasLogs: whether any log may name the tables that there were.
  ///   - new: the tables as they are in the end.
  /// - Throws: `StoreError.schemaChange` when something that a log names is gone.
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
