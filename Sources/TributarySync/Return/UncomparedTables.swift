import TributaryCore
import TributarySQLite
import TributaryStore

/// Tables into which a program may have written what nothing has captured, in a store for which the other
/// devices have forgotten the logs that would show it.
struct UncomparedTables: Equatable {
  let names: Set<SQLName>
  /// The end of the write-ahead log, after which no program has written yet; `nil` if there is no log that
  /// connections share.
  private let end: LogPlace?

  /// Finds them.
  init(_ connection: Connection) throws {
    let capture = ForeignCapture(connection)
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    names = try Set((capture.suspected() + capture.doubted(schema)).map { SQLName($0) })
    end = try connection.logHead()?.place
  }
}
