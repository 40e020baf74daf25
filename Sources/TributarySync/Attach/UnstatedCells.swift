import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// The cells of a joining database about which no log says anything: the logs are older than the column, so
/// that the store shows the default there. Nothing contradicts what the database has.
struct UnstatedCells: ~Copyable {
  /// A row in question.
  private struct Row {
    /// The columns that no log has stated so far.
    var columns: Set<Int>
    /// Whether any log mentions the row. If not, it has another number there.
    var isMentioned = false
  }

  /// The columns of a log's shape, as positions in the table here; -1 for those that do not exist here.
  private struct Source {
    var columns: [Int]
    var encoder: RowKeyEncoder
    /// The mapping with which to find the rows that the log means, if some have got new numbers since.
    var mapping: Int?
  }

  private let schema: ReplicatedSchema
  private let connection: Connection
  private var index = RowKeyIndex()
  private var rows: [Row] = []
  /// The defaults, by table.
  private var defaults: [Int: [Value]] = [:]

  init(_ schema: ReplicatedSchema, _ connection: Connection) {
    self.schema = schema
    self.connection = connection
  }

  /// Asks about a row of the database, as far as the store shows defaults in its place.
  ///
  /// - Parameters:
  ///   - present: the row as the store has it.
  ///   - number: the position of its table in the schema.
  mutating func ask(
    _ row: [Value], _ present: [Value], key: UnsafeRawBufferPointer, of number: Int
  ) throws {
    let different = RowDifference(of: row, from: present, schema.tables[number])
    if different.isEmpty { return }
    let defaults = try defaults(of: number)
    let keys = Set(schema.tables[number].shape.keys.map(\.column))
    let columns = different.columns.filter { column in
      !keys.contains(column) && !row[column].hasSameBits(as: present[column])
        && present[column].hasSameBits(as: defaults[column])
    }
    if columns.isEmpty { return }
    if index.insert(key, table: UInt32(number)).isNew { rows.append(Row(columns: columns)) }
  }

  /// Searches the logs for values that they state for these cells.
  ///
  /// - Complexity: reads all logs, unless nothing was asked.
  mutating func look(in logs: LoggedKeys) throws {
    if rows.isEmpty { return }
    var sources: [TableShape: Source] = [:]
    var key = ByteBuffer()
    let batch = try MergeBatch(
      connection: connection, schema: schema, selection: TableSelection(connection))
    try logs.forEachChange(schema) { change, shape, table, author in
      let source = sources[shape] ?? source(shape, table, batch)
      sources[shape] = source
      key.removeAll()
      if let mapping = source.mapping {
        key.append(
          contentsOf: try batch.row(of: change, mapping: mapping, by: author).key)
      } else {
        try source.encoder.encode(change.operation, image: change.image, into: &key)
      }
      guard let row = index.number(of: key.bytes, table: UInt32(table)) else { return }
      rows[row].isMentioned = true
      if change.operation == .delete { return }
      var cursor = ImageCursor(change.image)
      for column in source.columns where try cursor.next().kind != .absent {
        rows[row].columns.remove(column)
      }
    }
  }

  /// Returns the columns of a row that no log states.
  func columns(of key: UnsafeRawBufferPointer, table number: Int) -> Set<Int> {
    guard !rows.isEmpty, let row = index.number(of: key, table: UInt32(number)),
      rows[row].isMentioned
    else { return [] }
    return rows[row].columns
  }

  private func source(_ shape: TableShape, _ number: Int, _ batch: MergeBatch) -> Source {
    let table = schema.tables[number]
    return Source(
      columns: shape.columns.map { name in
        guard
          case .present(let present) = schema.names.meaning(
            of: name, in: shape.table, among: table)
        else { return -1 }
        return table.shape.position(of: present) ?? -1
      }, encoder: RowKeyEncoder(shape: shape),
      // Transactions that wait for a column are not imported, so that none of their rows has another number.
      mapping: batch.hasNumberings ? (try? batch.mapping(for: shape)) ?? nil : nil)
  }

  private mutating func defaults(of number: Int) throws -> [Value] {
    if let known = defaults[number] { return known }
    let values = try DefaultRow.values(of: schema.tables[number], connection)
    defaults[number] = values
    return values
  }
}
