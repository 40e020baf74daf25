import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Checks at the end of an import that every row written still has its parent, and that no parent
/// was taken away.
final class ForeignKeyChecker {
  private let connection: Connection
  private var references: [ForeignKey] = []
  /// By table number: the references from it, and to it.
  private var fromTable: [[Int]]
  private var toTable: [[Int]]
  /// By reference: the keys of parents that must be there, and rows to look at themselves.
  private var wanted: [Set<[Value]>]
  private var touched: [Set<[Value]>]
  /// By reference: a parent went away or may have changed its key.
  private var lostParents: [Bool]

  init(_ connection: Connection, schema: ReplicatedSchema) throws {
    self.connection = connection
    fromTable = Array(repeating: [], count: schema.tables.count)
    toTable = Array(repeating: [], count: schema.tables.count)
    for (number, table) in schema.tables.enumerated() {
      for reference in try ForeignKey.read(of: table, connection) {
        fromTable[number].append(references.count)
        if let parent = schema.tables.firstIndex(where: {
          $0.name.lowercased() == reference.parent.lowercased()
        }) {
          toTable[parent].append(references.count)
        }
        references.append(reference)
      }
    }
    wanted = Array(repeating: [], count: references.count)
    touched = wanted
    lostParents = Array(repeating: false, count: references.count)
  }

  func note(
    _ effect: RowApplier.Effect, _ cells: UnsafeMutableBufferPointer<ValueView>, table: Int
  ) {
    if effect != .inserted {
      for number in toTable[table]
      where effect == .deleted || !references[number].refersToPrimaryKey {
        lostParents[number] = true
      }
    }
    guard effect != .deleted else { return }
    for number in fromTable[table] {
      let columns = references[number].childColumns
      if columns.allSatisfy({ cells[$0].kind != .absent }) {
        let key = columns.map { cells[$0].value ?? .null }
        if !key.contains(.null) { wanted[number].insert(key) }
      } else if columns.contains(where: { cells[$0].kind != .absent }) || effect == .inserted {
        touched[number].insert(references[number].childKeys.map { cells[$0].value ?? .null })
      }
    }
  }

  /// - Throws: `MergeError.constraint` naming the reference that does not hold.
  func check() throws {
    defer { discard() }
    for (number, reference) in references.enumerated() {
      if lostParents[number] {
        try expectNoOrphan(reference, try connection.cached(reference.anyOrphan), [])
        continue
      }
      let parent = try connection.cached(reference.parentExists)
      for key in wanted[number] {
        defer { parent.reset() }
        try parent.bind(key)
        if try !parent.step() { throw reference.violation(key) }
      }
      for key in touched[number] {
        try expectNoOrphan(reference, try connection.cached(reference.rowIsOrphan), key)
      }
    }
  }

  func discard() {
    for number in references.indices {
      wanted[number].removeAll(keepingCapacity: true)
      touched[number].removeAll(keepingCapacity: true)
      lostParents[number] = false
    }
  }

  private func expectNoOrphan(
    _ reference: ForeignKey, _ statement: Statement, _ parameters: [Value]
  ) throws {
    defer { statement.reset() }
    try statement.bind(parameters)
    if try statement.step() { throw reference.violation(statement.values) }
  }
}
