import TributaryCore

/// What the open transaction has done besides changing rows.
struct OpenTransaction {
  /// The tables as they were before it changed them; `nil` if it did not change any.
  var schemaBefore: ReplicatedSchema?
  var departures = SchemaDepartures()
  /// The migration that runs in it.
  var migration: DeclaredMigration?
  /// The tables that it has rebuilt.
  var rebuilt: [RebuiltTable] = []
  /// What it states about rows without having to change them.
  var settlements: [Settlement] = []
  /// The open savepoints, the outermost first.
  private(set) var savepoints: [Savepoint] = []

  /// How far the transaction had got at a savepoint.
  struct Savepoint {
    let name: SQLName
    let changes: Int
    let count: Int
    let refusals: Int
    fileprivate let settlements: Int
    fileprivate let departures: Int
  }

  mutating func open(_ name: SQLName, _ capture: borrowing CaptureState) {
    savepoints.append(
      Savepoint(
        name: name, changes: capture.changes.count, count: capture.count,
        refusals: capture.refusals.count, settlements: settlements.count,
        departures: departures.count))
  }

  mutating func release(_ name: SQLName) {
    if let index = savepoints.lastIndex(where: { $0.name == name }) {
      savepoints.removeSubrange(index...)
    }
  }

  /// Forgets what was done since a savepoint, which stays open.
  ///
  /// Departures are kept until `rollBackDepartures`, since the schema must be read first.
  ///
  /// - Returns: the savepoint; `nil` if there is none with that name.
  mutating func rollBack(to name: SQLName) -> Savepoint? {
    guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return nil }
    savepoints.removeSubrange((index + 1)...)
    settlements.removeLast(settlements.count - savepoints[index].settlements)
    return savepoints[index]
  }

  mutating func rollBackDepartures(to savepoint: Savepoint) {
    departures.truncate(to: savepoint.departures)
  }
}
