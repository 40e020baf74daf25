internal import TributaryCore

/// Follows which keys come and go while a write runs.
struct KeyReplay {
  private struct State {
    var living: Set<ReferenceRowIdentity>
    var deleted: Set<ReferenceRowIdentity> = []
    var reinserted: Set<ReferenceRowIdentity> = []

    mutating func delete(_ row: ReferenceRowIdentity) {
      if living.remove(row) != nil { deleted.insert(row) }
    }

    mutating func insert(_ row: ReferenceRowIdentity) {
      living.insert(row)
      if deleted.contains(row) { reinserted.insert(row) }
    }
  }

  private let before: Set<ReferenceRowIdentity>
  private let schema: ReferenceSchema
  private var state: State
  private var savepoints: [State] = []

  init(before: ReferenceContents, schema: ReferenceSchema) {
    self.before = Set(
      before.tables.flatMap { name, rows in
        rows.keys.map { ReferenceRowIdentity(table: name, key: $0) }
      })
    self.schema = schema
    state = State(living: self.before)
  }

  var reinserted: Set<ReferenceRowIdentity> { state.reinserted.intersection(before) }

  mutating func run(_ effect: KeyEffect) {
    switch effect {
    case .none: break
    case .insert(let table, let keys, let answer):
      statement(answer, keys.map { (from: nil, to: identity(table, $0)) })
    case .move(let table, let keys, let answer):
      statement(
        answer, keys.map { (from: identity(table, $0.from), to: identity(table, $0.to)) })
    case .delete(let table, let keys):
      for key in keys { state.delete(identity(table, key)) }
    case .deleteAll(let table):
      for row in state.living where row.table == table { state.delete(row) }
    case .savepoint: savepoints.append(state)
    case .rollbackToSavepoint: state = savepoints.last!
    case .releaseSavepoint: savepoints.removeLast()
    }
  }

  private func identity(_ table: String, _ key: [Value]) -> ReferenceRowIdentity {
    ReferenceRowIdentity(table: table, key: schema[table].canonical(key))
  }

  private mutating func statement(
    _ answer: ConflictAnswer, _ rows: [(from: ReferenceRowIdentity?, to: ReferenceRowIdentity)]
  ) {
    let start = state
    for row in rows {
      if let from = row.from, !state.living.contains(from) || from == row.to { continue }
      if state.living.contains(row.to) {
        switch answer {
        case .abort:
          state = start
          return
        case .fail: return
        case .ignore: continue
        case .replace: state.delete(row.to)
        }
      }
      if let from = row.from { state.delete(from) }
      state.insert(row.to)
    }
  }
}
