import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Finds what other programs have written into a store while nothing captured it: compares the tables with
/// what the logs say, and has the store record the differences as a transaction of its own.
struct ForeignComparison {
  let store: LocalStore
  let environment: Environment

  /// Compares the tables that are suspected, if any are.
  ///
  /// - Throws: also where logs are missing; the tables then stay suspected, and nothing is imported into
  ///   them.
  func run() throws {
    while let tables = try suspected() {
      try store.recordForeignWrites()
      guard let moment = try compare(tables) else { continue }
      if try note(moment, tables) { break }
    }
    try store.recordForeignWrites()
  }

  private func suspected() throws -> Set<SQLName>? {
    let tables = try store.service { try ForeignCapture($0).suspected() }
    return tables.isEmpty ? nil : Set(tables.map { SQLName($0) })
  }

  /// What a comparison has found, and how far the store was then.
  private struct Moment {
    var knowledge: Knowledge
    var own: SequenceNumber
    var differences: [FoundDifference]
  }

  private func compare(_ tables: Set<SQLName>) throws -> Moment? {
    let connection = try Connection(path: store.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA query_only = ON")
    return try connection.snapshot {
      // What has been journalled since would be found a second time.
      if try ForeignCapture(connection).isPending() { return nil }
      let selection = try TableSelection(connection)
      let definition = try MergeDefinition(of: connection, selection: selection)
      let replay = LogReplay(path: store.path, connection: connection, environment: environment)
      _ = try replay.forEachTransaction { stream, head in
        let transaction = BatchTransaction(head, of: stream.peer)
        while let change = try stream.nextChange() {
          let shape = stream.shape(change.shapeID)
          guard tables.contains(SQLName(shape.table)) else { continue }
          try definition.apply(change, shape: shape, by: transaction)
        }
      }
      var differences: [FoundDifference] = []
      for table in try ReplicatedSchema(connection, selection: selection).tables
      where table.refusal == nil && tables.contains(SQLName(table.name)) {
        try collect(table, definition, connection, &differences)
      }
      return Moment(
        knowledge: try KnowledgeTable(connection).current(),
        own: try Outbox(connection).last()?.sequence ?? .zero, differences: differences)
    }
  }

  private func collect(
    _ table: TableDescription, _ definition: MergeDefinition, _ connection: Connection,
    _ differences: inout [FoundDifference]
  ) throws {
    let reader = RowReader(table)
    var last: (key: [Value], cells: [String: Value])?
    func close() {
      guard let row = last else { return }
      last = nil
      differences.append(
        FoundDifference(table: table.name, key: row.key, kind: .updated(row.cells)))
    }
    try definition.forEachDifference(table) { key, column, stored, expected in
      if let column {
        if let row = last, zip(row.key, key).allSatisfy({ $0.hasSameBits(as: $1) }) {
          last?.cells[column] = expected ?? .null
        } else {
          close()
          last = (key, [column: expected ?? .null])
        }
        return
      }
      close()
      let isThere = try reader.row(key, in: connection) != nil
      // A held row that could be visible is not there either, and nobody has deleted it.
      if stored != nil, isThere {
        differences.append(FoundDifference(table: table.name, key: key, kind: .inserted))
      } else if stored == nil, !isThere, try !definition.isHeld(key, table) {
        differences.append(FoundDifference(table: table.name, key: key, kind: .deleted))
      }
    }
    close()
  }

  /// - Returns: false where the store has changed since the comparison.
  private func note(_ moment: Moment, _ tables: Set<SQLName>) throws -> Bool {
    try store.background { connection in
      try connection.immediate {
        let capture = ForeignCapture(connection)
        guard try KnowledgeTable(connection).current() == moment.knowledge,
          try Outbox(connection).last()?.sequence ?? .zero == moment.own,
          try !capture.isPending(), try Set(capture.suspected().map { SQLName($0) }) == tables
        else { return false }
        let selection = try TableSelection(connection)
        try capture.note(
          moment.differences, ReplicatedSchema(connection, selection: selection))
        try capture.acquit()
        if !moment.differences.isEmpty {
          let names = Set(moment.differences.map { SQLName($0.table) }).sorted().map(\.text)
          try UncapturedWrites(
            milliseconds: environment.clock.milliseconds(), rows: moment.differences.count,
            tables: names
          ).write(to: Settings(connection))
        }
        return true
      }
    }
  }
}
