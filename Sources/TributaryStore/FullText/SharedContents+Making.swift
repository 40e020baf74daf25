import TributaryCore
import TributarySQLite

extension SharedContents {
  /// Makes the tables that share the contents of full-text tables, if they do not exist yet.
  ///
  /// - Throws: for a name that is refused.
  static func make(_ names: [String], in connection: Connection, path: String) throws {
    if let refusal = try refusals(names, in: connection, path: path).first { throw refusal.cause }
    for contents in try missing(names, in: connection) {
      for sql in contents.statements { try connection.execute(sql) }
    }
  }

  /// Returns the reasons against sharing the contents of full-text tables.
  static func refusals(
    _ names: [String], in connection: Connection, path: String
  ) throws -> [AttachRefusal] {
    let virtual = try VirtualTable.all(in: connection)
    let tables = try SchemaReader(connection: connection).tableNames()
    let shared = Set(try all(in: connection).map { SQLName($0.name) })
    return try names.compactMap { name in
      if shared.contains(SQLName(name)) { return nil }
      guard let table = virtual.first(where: { SQLName($0.name) == SQLName(name) }),
        table.isFullText
      else {
        return refused(
          name, "there is no full-text table \(name)", path,
          "name tables of the modules fts3, fts4 or fts5 in --share-contents")
      }
      guard try SharedContents(table, in: connection) != nil else {
        let reason =
          table.content.map {
            $0.isEmpty ? "it keeps no texts" : "its texts are those of \($0)"
          } ?? "it keeps its texts in a form of its own"
        return refused(
          name, "the contents of full-text table \(name) cannot be shared: \(reason)", path,
          "do not name it in --share-contents"
            + (table.content?.isEmpty == false ? "; share that table" : ""))
      }
      if let other = tables.first(where: { SQLName($0) == SQLName(Self.table(of: table.name)) }) {
        return refused(
          name,
          "the contents of full-text table \(name) are shared through a table \(other), and the database "
            + "has one of that name", path, "do not name it in --share-contents")
      }
      return nil
    }
  }

  /// Returns the full-text tables that an attached store cannot start to share, since the other devices would
  /// not have the tables for it.
  package static func late(
    _ names: [String], in connection: Connection, path: String
  ) throws -> [AttachRefusal] {
    try missing(names, in: connection).map { contents in
      refused(
        contents.name,
        "the contents of full-text table \(contents.name) can be shared only from the first attach on",
        path,
        "take the store and its logs away with `tributary detach --remove-logs` on all devices, and attach them "
          + "again with --share-contents \(contents.name)")
    } + refusals(names, in: connection, path: path)
  }

  private static func missing(
    _ names: [String], in connection: Connection
  ) throws -> [SharedContents] {
    let shared = Set(try all(in: connection).map { SQLName($0.name) })
    let asked = Set(names.map { SQLName($0) }).subtracting(shared)
    return try VirtualTable.all(in: connection).filter { asked.contains(SQLName($0.name)) }
      .compactMap { try SharedContents($0, in: connection) }
  }

  private static func refused(
    _ table: String, _ message: String, _ path: String, _ remedy: String
  ) -> AttachRefusal {
    AttachRefusal(
      StoreError(.unusableTable, message, path: path, remedy: remedy), table: table)
  }
}
