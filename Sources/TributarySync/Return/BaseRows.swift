import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog
import TributaryMerge
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Rows as the authors of fenced transactions saw them before, as far as the logs still contain them.
struct BaseRows {
  /// A row as its authors saw it.
  struct Base {
    /// The row; `nil` if it did not live, or if this is unknown.
    var row: [Value]?
    /// The columns for which it is unknown what the authors saw.
    var unknown: Set<Int> = []
    /// Whether it is known at all what the row was, or that it did not live.
    var isKnown = false

    /// Whether the authors saw exactly these values in some columns.
    func isSame(as other: [Value], in columns: some Sequence<Int>) -> Bool {
      guard let row else { return false }
      return columns.allSatisfy {
        !unknown.contains($0) && row[$0].hasSameBits(as: other[$0])
      }
    }
  }

  /// What the store has forgotten and what it has of the horizon, by the definition of the merge; `nil` if
  /// files are gone.
  ///
  /// The author of a log that was never imported has not seen what this store has forgotten. For such a log,
  /// everything comes from files.
  private let definition: MergeDefinition?
  private let schema: ReplicatedSchema
  /// The last transaction of each author that has written a row and column.
  private var writes: [RowIdentity: [Int: [PeerIdentity: SequenceNumber]]] = [:]

  /// Reads the logs.
  ///
  /// - Parameter rows: the rows of interest.
  /// - Complexity: O(changes in the logs below the horizon).
  init(_ logs: FencedLogs, _ rows: FencedRows, _ selection: TableSelection) throws {
    schema = rows.schema
    guard let settled = try Self.settled(logs), let streams = try Self.streams(logs) else {
      definition = nil
      return
    }
    let definition = try MergeDefinition(of: logs.exchange.connection, selection: selection)
    var writes: [RowIdentity: [Int: [PeerIdentity: SequenceNumber]]] = [:]
    var last: [PeerIdentity: SequenceNumber] = [:]
    let horizon = logs.declaration.horizon
    try FencedLogs.forEach(settled + streams) { [schema] stream, head in
      guard stream is SettledStream || head.sequence <= horizon[stream.peer] else { return }
      definition.begin(BatchTransaction(head, of: stream.peer, schema: stream.schema))
      while let change = try stream.nextChange() {
        var found: RowIdentity?
        let shape = stream.shape(change.shapeID)
        try definition.apply(change, shape: shape) { table, key in
          guard let number = schema.tableNumber(named: table.name),
            let row = try? table.identity(key: key, number: number), rows.rows[row] != nil
          else { return false }
          found = row
          return true
        }
        // The authors of later writes knew the row.
        guard let row = found, !(stream is SettledStream) else { continue }
        for column in try Self.columns(of: change, shape, schema.tables[row.table], schema.names) {
          writes[row, default: [:]][column, default: [:]][stream.peer] = head.sequence
        }
      }
      last[stream.peer] = head.sequence
    }
    let isComplete = Self.entries(logs).allSatisfy {
      last[$0.peer] ?? Self.forgotten(logs)[$0.peer] >= $0.sequence
    }
    self.definition = isComplete ? definition : nil
    self.writes = writes
  }

  /// Returns what is known only as rows.
  private static func forgotten(_ logs: FencedLogs) -> Knowledge {
    logs.retired == nil ? logs.settled : Knowledge()
  }

  /// Returns what the store has of the horizon.
  private static func entries(_ logs: FencedLogs) -> [Knowledge.Entry] {
    logs.known.intersection(logs.declaration.horizon).entries
  }

  /// Returns what stands for everything that the store has forgotten, if it has forgotten anything; `nil` if
  /// no baseline is left, which costs only conflicts.
  private static func settled(_ logs: FencedLogs) throws -> [any TransactionStream]? {
    if logs.retired != nil { return [] }
    do {
      return try SettledRows(logs.exchange).map { [try $0.stream()] } ?? []
    } catch is History.Missing {
      return nil
    }
  }

  /// Returns the logs; `nil` if some file is gone, which costs the same.
  private static func streams(_ logs: FencedLogs) throws -> [any TransactionStream]? {
    var streams: [any TransactionStream] = []
    let forgotten = forgotten(logs)
    for entry in entries(logs) where entry.sequence > forgotten[entry.peer] {
      let stream = try logs.stream(of: entry, after: forgotten[entry.peer])
      guard stream.head?.sequence == forgotten[entry.peer].next else { return nil }
      streams.append(stream)
    }
    return streams
  }

  /// Returns the columns that a change writes.
  private static func columns(
    of change: ChangeView, _ shape: TableShape, _ table: TableDescription, _ names: NameChanges
  ) throws -> [Int] {
    guard change.operation == .update else { return Array(table.shape.columns.indices) }
    var cursor = ImageCursor(change.image)
    var columns: [Int] = []
    for name in shape.columns {
      guard try cursor.next().kind != .absent,
        case .present(let present) = names.meaning(of: name, in: shape.table, among: table),
        let column = table.shape.position(of: present)
      else { continue }
      columns.append(column)
    }
    let keys = Set(table.shape.keys.map(\.column))
    return columns.filter { !keys.contains($0) }
  }

  /// Returns a row as the authors of fenced transactions saw it. The value in a column is known only if each
  /// of them knew everything that had been written there.
  func base(_ row: RowIdentity, of fenced: FencedRow) throws -> Base {
    guard let definition else { return Base() }
    let table = schema.tables[row.table]
    var base = Base(row: try definition.row(table.keyValues(row.key), of: table), isKnown: true)
    for (column, last) in writes[row] ?? [:] {
      let isKnown = last.allSatisfy { peer, sequence in
        let side = Conflict.Side(peer: peer, sequence: sequence, time: .zero)
        return fenced.authors.allSatisfy { $0.knows(side) }
      }
      if !isKnown { base.unknown.insert(column) }
    }
    return base
  }
}
