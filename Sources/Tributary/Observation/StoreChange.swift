public import TributaryCore
public import TributaryMerge
import TributaryStore
import TributarySync

/// What one commit by any writer has changed in the database of a store.
public struct StoreChange: Sendable {
  /// Who has made a change.
  public enum Origin: Hashable, Sendable {
    /// A write through this `Store`.
    case write
    /// A write through something else: another `Store` on the same file, another process, or another program.
    case otherConnection
    /// An import of what other devices have written, by this process or another.
    case peers
    /// Several of these: too many changes were unread.
    case several
  }

  /// Who made the commit.
  public var origin: Origin
  /// The transactions of other devices that were imported, if the origin is `peers`.
  public var sources: [ImportChange.Source] = []
  /// The last transaction of this device among the changes; `nil` if there is none, as for tables that are not
  /// replicated.
  public var sequence: SequenceNumber?
  /// The tables with changed rows, by name, each with the keys of the rows that were inserted, updated and deleted.
  public var tables: [SQLName: TableChanges] = [:]
  /// Tables in which unlisted rows may have changed: tables that are not replicated, tables in which a row
  /// that a conflict had hidden has come back, and tables with too many unread changes.
  public var tablesWithUnlistedRows: Set<SQLName> = []
  /// Whether any row of any table may have changed, or the tables themselves, so that the application must read
  /// everything again.
  public var mayHaveChangedEverything = false

  init(origin: Origin) { self.origin = origin }

  /// Returns a change about which nothing is known.
  static func everything(_ origin: Origin) -> StoreChange {
    var change = StoreChange(origin: origin)
    change.mayHaveChangedEverything = true
    return change
  }

  /// Whether rows of a table may have changed.
  public func mayConcern(_ table: String) -> Bool {
    let name = SQLName(table)
    return mayHaveChangedEverything || tables[name] != nil || tablesWithUnlistedRows.contains(name)
  }

  init(_ changes: CommittedChanges, origin: Origin) {
    self.init(origin: origin)
    sequence = changes.sequence
    guard let touched = changes.tables, changes.schemaVersion == nil else {
      mayHaveChangedEverything = true
      return
    }
    guard changes.records != nil, let listed = try? changes.listed() else {
      // Too many rows to list, or a record that cannot be read: all rows of these tables may have changed.
      tablesWithUnlistedRows = Set(touched)
      return
    }
    tables = listed.tables
    tablesWithUnlistedRows =
      changes.hasOtherRows ? Set(touched) : Set(touched).subtracting(listed.names)
  }

  init(_ imported: SyncReport.Imported) {
    self.init(origin: .peers)
    let change = ImportChange(imported)
    sources = change.peers
    tables = change.tables
    mayHaveChangedEverything = change.mayHaveChangedEverything || !imported.schemas.isEmpty
  }
}

extension CommittedChanges {
  /// Returns the rows of the records, and the tables that they name.
  fileprivate func listed() throws -> (tables: [SQLName: TableChanges], names: Set<SQLName>) {
    var tables: [SQLName: TableChanges] = [:]
    var names: Set<SQLName> = []
    try read { change, shape in
      var values = change.values
      var key: [Value] = []
      if change.operation == .delete {
        for _ in shape.keys { key.append(try values.next().value ?? .null) }
      } else {
        var row: [Value] = []
        for _ in shape.columns { row.append(try values.next().value ?? .null) }
        key = shape.keys.map { row[$0.column] }
      }
      let name = SQLName(shape.table)
      names.insert(name)
      switch change.operation {
      case .insert: tables[name, default: TableChanges()].inserted.append(key)
      case .update, .replace: tables[name, default: TableChanges()].updated.append(key)
      case .delete: tables[name, default: TableChanges()].deleted.append(key)
      }
    }
    return (tables, names)
  }
}

extension StoreChange: Accumulating {
  package var byteCount: Int {
    tables.values.reduce(1024 + sources.count * 32 + tablesWithUnlistedRows.count * 64) {
      $0 + $1.byteCount
    }
  }

  package mutating func append(_ later: StoreChange) {
    if origin != later.origin { origin = .several }
    for source in later.sources {
      if let index = sources.firstIndex(where: { $0.peer == source.peer }) {
        sources[index].last = source.last
      } else {
        sources.append(source)
      }
    }
    sequence = later.sequence ?? sequence
    tables.merge(later.tables) { earlier, later in
      var both = earlier
      both.append(contentsOf: later)
      return both
    }
    for (name, changes) in tables where changes.isForgotten { tablesWithUnlistedRows.insert(name) }
    tablesWithUnlistedRows.formUnion(later.tablesWithUnlistedRows)
    // Merging copies the keys, and does so as part of a commit.
    if byteCount > Backlog<StoreChange>.byteLimit {
      tablesWithUnlistedRows.formUnion(tables.keys)
      tables = [:]
    }
    mayHaveChangedEverything = mayHaveChangedEverything || later.mayHaveChangedEverything
  }
}
