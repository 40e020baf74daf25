internal import TributaryContainer
internal import TributaryCore
internal import TributaryLog
internal import TributaryReplay
internal import TributarySQLite

/// Tables made from the logs' descriptions, if no peer's manifest has the schema: names, columns and keys,
/// without types, constraints and indexes.
struct ShapeSchema {
  private var tables: [SQLName: TableShape] = [:]

  /// Reads segments to their ends. Damage is reported when they are read for their contents.
  init(of segments: [LogSegment]) {
    let logs = LogStream(segments, report: { _ in })
    while let stream = logs.next() {
      for cursor in stream.copies {
        for shape in cursor.shapes.values { add(shape) }
      }
    }
  }

  /// Adds a shape. A later one may have more columns; the key stays as it was first.
  private mutating func add(_ shape: TableShape) {
    let name = SQLName(shape.table)
    guard var known = tables[name] else {
      tables[name] = shape
      return
    }
    let columns = Set(known.columns.map { SQLName($0) })
    let more = shape.columns.filter { !columns.contains(SQLName($0)) }
    guard !more.isEmpty else { return }
    known.columns += more
    tables[name] = known
  }

  private var sorted: [TableShape] { tables.sorted { $0.key < $1.key }.map(\.value) }

  /// The schema that makes the tables.
  var manifest: ManifestSchema {
    ManifestSchema(
      id: "of the logs", tables: sorted.map(\.table), sql: sorted.map(Self.sql), migrations: [])
  }

  private static func sql(_ shape: TableShape) -> String {
    let keys = shape.keys.map {
      "\(shape.columns[$0.column].quotedIdentifier) COLLATE \($0.collation.sqlName)"
    }
    let columns = shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    return """
      CREATE TABLE \(shape.table.quotedIdentifier) (
        \(columns),
        PRIMARY KEY (\(keys.joined(separator: ", ")))
      )
      """
  }
}
