import TributaryCore
import TributaryLog
import TributarySQLite

/// The names that tables and columns have had, as migrations have declared them, here or on other devices.
/// Logs name tables and columns as their authors knew them; this type tells what these names mean here.
///
/// A name that was given up is never used again, so the order of the declarations does not matter.
package struct NameChanges: Equatable, Sendable {
  /// The declarations, in the order in which this store learned of them.
  package private(set) var all: [NameChange] = []

  package init(_ changes: [NameChange] = []) { add(changes) }

  /// Reads the declarations that a store has learned of; there are none in a database that is not a store.
  package init(_ connection: Connection) throws {
    guard try Settings.exist(in: connection), let text = try Settings(connection).text(.names)
    else { return }
    try read(text, connection.path)
  }

  /// Reads the declarations from the setting of a store.
  mutating func read(_ text: String, _ path: String) throws {
    for line in Settings.lines(text) {
      guard let change = NameChange(line) else {
        throw StoreError.damaged(
          "the bookkeeping has a renaming that cannot be read: \(line)", path: path)
      }
      all.append(change)
    }
  }

  /// Records the declarations.
  package func write(to connection: Connection) throws {
    try Settings(connection).set(.names, lines: all.map(\.description))
  }

  /// Adds declarations.
  package mutating func add(_ changes: [NameChange]) {
    for change in changes where !all.contains(change) { all.append(change) }
  }

  package var isEmpty: Bool { all.isEmpty }

  /// Whether any declaration drops a table or column.
  package var hasDrops: Bool {
    all.contains { change in
      switch change {
      case .droppedTable, .droppedColumn: true
      case .renamedTable, .renamedColumn: false
      }
    }
  }

  /// Whether a migration has dropped a table here, or any of its columns.
  package func areDropped(anyOf table: TableDescription) -> Bool {
    all.contains { change in
      switch change {
      case .droppedTable(let name): names(of: name).contains(SQLName(table.name))
      case .droppedColumn(let column, let name):
        names(of: name).contains(SQLName(table.name))
          && table.shape.position(of: column.text) != nil
      case .renamedTable, .renamedColumn: false
      }
    }
  }

  // MARK: Tables

  /// What a name means here.
  package enum Meaning: Equatable {
    case present(String)
    /// It was dropped, so anything that logs say about it is skipped.
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
      renamed: columnRenamings(of: names),
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
    Self.names(of: table, all.compactMap(\.tableRenaming))
  }

  /// Returns all names that can be reached from one name, forward and backward.
  static func names(
    of name: SQLName, _ renamed: [(old: SQLName, new: SQLName)]
  ) -> Set<SQLName> {
    var names: Set<SQLName> = [name]
    var count = 0
    while names.count > count {
      count = names.count
      for (old, new) in renamed where names.contains(old) || names.contains(new) {
        names.formUnion([old, new])
      }
    }
    return names
  }

  /// Follows the renamings forward, for older logs. If that leads nowhere, follows them backward, for logs of
  /// devices that were updated before this one. If that leads nowhere either, two devices have given one
  /// thing two names: then the name means whatever its former name has become here.
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
    let family = family(of: reached, renamed)
    let present = family.filter(isPresent)
    if present.count == 1 { return .present(present[0].text) }
    return present.isEmpty && family.contains(where: dropped.contains) ? .dropped : .unknown
  }

  /// Returns names and everything that they have been renamed to.
  private static func family(
    of names: [SQLName], _ renamed: [(old: SQLName, new: SQLName)]
  ) -> [SQLName] {
    var family = names
    var next = 0
    while next < family.count {
      for (old, new) in renamed where old == family[next] && !family.contains(new) {
        family.append(new)
      }
      next += 1
    }
    return family
  }

  // MARK: Disagreements

  /// A table or column that migrations have renamed in two ways.
  package struct Fork: Equatable, Sendable {
    /// The former table, or the former table and column.
    package var former: String
    /// The names that the migrations give it, in order.
    package var names: [String]
    /// The declaration that would turn the second name into the first.
    package var remedy: String
  }

  /// The tables and columns that have been given different names, and still have them.
  package var forks: [Fork] {
    var forks: [Fork] = []
    for (place, change) in all.enumerated() {
      for other in all[..<place] {
        switch (other, change) {
        case (.renamedTable(let old, let a), .renamedTable(let again, let b)):
          guard old == again, let (a, b) = lasting(a, b, all.compactMap(\.tableRenaming)) else {
            continue
          }
          forks.append(
            Fork(
              former: "table \(old)", names: [a, b].map(\.text),
              remedy: "\(NameChange.renamedTable(b, to: a))"))
        case (.renamedColumn(let old, let table, let a), .renamedColumn(let again, let same, let b)):
          let names = names(of: table)
          guard old == again, names.contains(same),
            let (a, b) = lasting(a, b, columnRenamings(of: names))
          else { continue }
          forks.append(
            Fork(
              former: "column \(old) of table \(table)", names: [a, b].map(\.text),
              remedy: "\(NameChange.renamedColumn(b, of: same, to: a))"))
        default: continue
        }
      }
    }
    return forks
  }

  /// Returns two names in order, as they are after all renamings; `nil` if both lead to the same name.
  private func lasting(
    _ a: SQLName, _ b: SQLName, _ renamed: [(old: SQLName, new: SQLName)]
  ) -> (SQLName, SQLName)? {
    let (first, second) = (Self.family(of: [a], renamed), Self.family(of: [b], renamed))
    guard Set(first).isDisjoint(with: second), let a = first.last, let b = second.last else {
      return nil
    }
    return a.text < b.text ? (a, b) : (b, a)
  }

  func columnRenamings(of names: Set<SQLName>) -> [(old: SQLName, new: SQLName)] {
    all.compactMap { change in
      if case .renamedColumn(let old, let table, let new) = change, names.contains(table) {
        (old, new)
      } else {
        nil
      }
    }
  }

  /// Returns the oldest name of a column, in lower case where SQLite ignores case. It is the same on every
  /// device.
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

  /// Returns the oldest name of a table, by which all devices know it.
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
