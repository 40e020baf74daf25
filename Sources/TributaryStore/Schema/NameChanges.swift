import TributaryCore
import TributaryLog
import TributarySQLite

/// The names that tables and columns have had, as migrations have declared them, here or on other devices. Logs
/// name tables and columns as their authors knew them; this says what they mean here.
///
/// A name that was given up is never given again, so that the order of the declarations does not matter.
package struct NameChanges: Equatable, Sendable {
  /// The declarations, in the order in which this store has learned of them.
  package private(set) var all: [NameChange] = []

  package init(_ changes: [NameChange] = []) { add(changes) }

  /// Reads those that a store has learned of; none for a database that is not a store.
  package init(_ connection: Connection) throws {
    guard try Settings.exist(in: connection), let text = try Settings(connection).text(.names)
    else { return }
    try read(text, connection.path)
  }

  /// Reads the setting of a store.
  mutating func read(_ text: String, _ path: String) throws {
    for line in Settings.lines(text) {
      guard let change = NameChange(line) else {
        throw StoreError.damaged(
          "the bookkeeping has a renaming that cannot be read: \(line)", path: path)
      }
      all.append(change)
    }
  }

  /// Records them.
  package func write(to connection: Connection) throws {
    try Settings(connection).set(.names, lines: all.map(\.description))
  }

  /// Adds declarations.
  package mutating func add(_ changes: [NameChange]) {
    for change in changes where !all.contains(change) { all.append(change) }
  }

  package var isEmpty: Bool { all.isEmpty }

  // MARK: Tables

  /// What a name means here.
  package enum Meaning: Equatable {
    case present(String)
    /// It was dropped, and whatever logs say of it is to be passed over.
    case dropped
    case unknown
  }

  /// Returns what the name of a table in a log means among the tables here.
  package func meaning(of table: String, among schema: ReplicatedSchema) -> Meaning {
    meaning(ofTable: SQLName(table)) { schema.tableNumber(named: $0.text) != nil }
  }

  /// Returns what the name of a column in a log means in a table here.
  ///
  /// - Parameter logged: the name of the table in that log.
  package func meaning(
    of column: String, in logged: String, among table: TableDescription
  ) -> Meaning {
    meaning(ofColumn: SQLName(column), of: SQLName(logged)) {
      table.shape.position(of: $0.text) != nil
    }
  }

  package func meaning(ofTable table: SQLName, among isPresent: (SQLName) -> Bool) -> Meaning {
    if isPresent(table) { return .present(table.text) }
    if all.isEmpty { return .unknown }
    return Self.meaning(
      table, renamed: all.compactMap(\.tableRenaming),
      dropped: Set(all.compactMap(\.droppedTable)), isPresent)
  }

  package func meaning(
    ofColumn column: SQLName, of table: SQLName, among isPresent: (SQLName) -> Bool
  ) -> Meaning {
    if isPresent(column) { return .present(column.text) }
    if all.isEmpty { return .unknown }
    let names = names(of: table)
    return Self.meaning(
      column,
      renamed: all.compactMap { change in
        if case .renamedColumn(let old, let table, let new) = change, names.contains(table) {
          (old, new)
        } else {
          nil
        }
      },
      dropped: Set(
        all.compactMap { change in
          if case .droppedColumn(let column, let table) = change, names.contains(table) {
            column
          } else {
            nil
          }
        }), isPresent)
  }

  /// Returns all names that a table has had and will have.
  package func names(of table: SQLName) -> Set<SQLName> {
    let renamed = all.compactMap(\.tableRenaming)
    var names: Set<SQLName> = [table]
    var count = 0
    while names.count > count {
      count = names.count
      for (old, new) in renamed where names.contains(old) || names.contains(new) {
        names.formUnion([old, new])
      }
    }
    return names
  }

  /// Follows the renamings forward, for logs from before; and if that leads nowhere, backward, for logs of
  /// devices that have been updated earlier than this one.
  private static func meaning(
    _ name: SQLName, renamed: [(old: SQLName, new: SQLName)], dropped: Set<SQLName>,
    _ isPresent: (SQLName) -> Bool
  ) -> Meaning {
    var reached = [name]
    var isDropped = dropped.contains(name)
    var next = 0
    while next < reached.count {
      if isPresent(reached[next]) { return .present(reached[next].text) }
      isDropped = isDropped || dropped.contains(reached[next])
      for (old, new) in renamed where old == reached[next] && !reached.contains(new) {
        reached.append(new)
      }
      next += 1
    }
    if isDropped { return .dropped }
    reached = [name]
    next = 0
    while next < reached.count {
      if isPresent(reached[next]) { return .present(reached[next].text) }
      for (old, new) in renamed where new == reached[next] && !reached.contains(old) {
        reached.append(old)
      }
      next += 1
    }
    return .unknown
  }

  /// Returns the oldest name of a column, in lower case as far as SQLite ignores case: the same on every device.
  package func firstName(ofColumn column: String, of table: String) -> String {
    (all.isEmpty ? SQLName(column) : origin(ofColumn: SQLName(column), of: SQLName(table))).folded
  }

  /// Returns the oldest name of a column.
  func origin(ofColumn column: SQLName, of table: SQLName) -> SQLName {
    let names = names(of: table)
    var name = column
    var seen: Set<SQLName> = [name]
    while let old = all.lazy.compactMap({ change -> SQLName? in
      if case .renamedColumn(let old, let table, name) = change, names.contains(table) {
        old
      } else {
        nil
      }
    }).first, seen.insert(old).inserted {
      name = old
    }
    return name
  }

  /// Returns the oldest name of a table, which all devices know it by.
  package func origin(ofTable table: String) -> String {
    var name = SQLName(table)
    var seen: Set<SQLName> = [name]
    while let (old, _) = all.compactMap(\.tableRenaming).first(where: { $0.new == name }),
      seen.insert(old).inserted
    {
      name = old
    }
    return name.text
  }
}

extension NameChange {
  var tableRenaming: (old: SQLName, new: SQLName)? {
    if case .renamedTable(let old, let new) = self { (old, new) } else { nil }
  }

  var droppedTable: SQLName? {
    if case .droppedTable(let table) = self { table } else { nil }
  }
}
