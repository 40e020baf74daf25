import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// A joining database with the tables and columns that its store has just taken from the schemas of the others, so that its
/// rows can be compared with theirs. It is a copy, since the database itself may still be refused; where nothing was taken,
/// it is the database.
struct ExtendedOriginal {
  let connection: Connection
  /// By table: the columns that the database lacks. It says nothing of them, so that it contradicts no log there.
  private(set) var columns: [SQLName: Set<SQLName>] = [:]
  private var path: String?

  /// - Parameters:
  ///   - store: the store that is being put together, with the logs imported.
  ///   - name: a path beside which the copy may lie.
  init(of original: ExclusiveDatabase, as store: Connection, beside name: String) throws {
    let taken = try FollowedSchema(store).statements()
    if taken.isEmpty {
      connection = original.connection
      return
    }
    let path = name + "-tributary-joining"
    self.path = path
    try original.copy(to: path)
    connection = try Connection(
      path: path, mode: .readWrite, extensions: original.connection.extensions)
    // The rows are only read.
    try connection.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON")
    let before = try tables()
    for sql in taken {
      // An index may not suit rows that the merge is yet to sort out, and makes no difference to reading them.
      guard SchemaObject(sql: sql).map({ $0.type == "table" && !$0.isVirtual }) ?? true else {
        continue
      }
      try connection.execute(sql)
    }
    for (table, columns) in try tables() {
      guard let known = before[table] else { continue }
      let added = columns.subtracting(known)
      if !added.isEmpty { self.columns[table] = added }
    }
  }

  private func tables() throws -> [SQLName: Set<SQLName>] {
    let schema = try ReplicatedSchema(connection, selection: .all, merge: MergeOptions())
    return Dictionary(
      schema.tables.map { (SQLName($0.name), Set($0.shape.columns.map { SQLName($0) })) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Removes the copy.
  func remove(using fileSystem: any FileSystem) {
    guard let path else { return }
    connection.close()
    // If it cannot be removed, there is one more file.
    for suffix in ["", "-journal"] { try? fileSystem.remove(path + suffix) }
  }
}
