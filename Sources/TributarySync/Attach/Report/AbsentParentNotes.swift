import TributaryCore
import TributarySQLite
import TributaryStore

/// Remarks on tables with a foreign key to a table that does not exist. Nothing checks such a key, but SQLite
/// compiles no write to such a table on a connection that enforces foreign keys. So this library's
/// connections for applications turn enforcement off for such a transaction, and check its foreign keys
/// before the commit.
struct AbsentParentNotes {
  let notes: [AttachNote]

  init(_ schema: ReplicatedSchema, _ connection: Connection) throws {
    var children: [String] = []
    var parents: [String] = []
    for table in schema.tables where table.refusal == nil {
      let statement = try connection.prepare(
        """
        SELECT DISTINCT "table" FROM pragma_foreign_key_list(?, 'main')
        WHERE NOT (\(Reference.bindsSomebody(parent: #""table""#))) ORDER BY 1
        """)
      try statement.bind([.string(table.name)])
      let known = parents.count
      while try statement.step() { parents.append(statement.string(0)) }
      if parents.count > known { children.append(table.name) }
    }
    guard !children.isEmpty, schema.enforcesForeignKeys else {
      notes = []
      return
    }
    var named: Set<SQLName> = []
    parents.removeAll { !named.insert(SQLName($0)).inserted }
    let (isOne, isOneParent) = (children.count == 1, parents.count == 1)
    let text =
      "\(isOne ? "table" : "tables") \(children.joined(separator: ", ")) \(isOne ? "refers" : "refer") to "
      + "\(isOneParent ? "table" : "tables") \(parents.joined(separator: ", ")), which "
      + "\(isOneParent ? "does" : "do") not exist: this holds no row back; when `tributary sql` writes "
      + "\(isOne ? "it" : "them"), all foreign keys of the transaction are checked at its end, and none deletes or "
      + "changes rows (CASCADE, SET NULL)"
    notes = [AttachNote(.warning, table: isOne ? children[0] : nil, text)]
  }
}
