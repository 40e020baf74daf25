internal import TributaryCore

/// Tracks the keys that come and go while a write runs.
struct KeyReplay {
  private struct State {
    /// The living rows, each with its key as spelled.
    var living: [ReferenceRowIdentity: [Value]]
    var deleted: Set<ReferenceRowIdentity> = []
    var reinserted: Set<ReferenceRowIdentity> = []

    mutating func delete(_ row: ReferenceRowIdentity) {
      if living.removeValue(forKey: row) != nil { deleted.insert(row) }
    }

    mutating func insert(_ row: ReferenceRowIdentity, _ key: [Value]) {
      living[row] = key
      if deleted.contains(row) { reinserted.insert(row) }
    }
  }

  private let before: Set<ReferenceRowIdentity>
  private let schema: ReferenceSchema
  private var state: State
  private var savepoints: [State] = []

  init(before: ReferenceContents, schema: ReferenceSchema) {
    var living: [ReferenceRowIdentity: [Value]] = [:]
    for (name, rows) in before.tables {
      let table = schema[name]
      for (key, row) in rows {
        living[ReferenceRowIdentity(table: name, key: key)] = table.key(of: row)
      }
    }
    self.before = Set(living.keys)
    self.schema = schema
    state = State(living: living)
  }

  var reinserted: Set<ReferenceRowIdentity> { state.reinserted.intersection(before) }

  mutating func run(_ effect: KeyEffect) {
    switch effect {
    case .none: break
    case .insert(let table, let keys, let answer):
      statement(answer, keys.map { (from: nil, to: identity(table, $0), key: $0) })
    case .move(let table, let keys, let answer):
      statement(
        answer,
        keys.map { (from: identity(table, $0.from), to: identity(table, $0.to), key: $0.to) })
    case .delete(let table, let keys):
      for key in keys { state.delete(identity(table, key)) }
    case .deleteAll(let table):
      for row in state.living.keys where row.table == table { state.delete(row) }
    case .savepoint: savepoints.append(state)
    case .rollbackToSavepoint: state = savepoints.last!
    case .releaseSavepoint: savepoints.removeLast()
    }
  }

  private func identity(_ table: String, _ key: [Value]) -> ReferenceRowIdentity {
    ReferenceRowIdentity(table: table, key: schema[table].canonical(key))
  }

  private mutating func statement(
    _ answer: ConflictAnswer,
    _ rows: [(from: ReferenceRowIdentity?, to: ReferenceRowIdentity, key: [Value])]
  ) {
    let start = state
    for row in rows {
      if let from = row.from {
        guard let spelled = state.living[from] else { continue }
        // A row never conflicts with itself, but another spelling of its key is an ordinary delete
        // and insert.
        if from == row.to, areIdentical(spelled, row.key) { continue }
      }
      if state.living[row.to] != nil, row.from != row.to {
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
      state.insert(row.to, row.key)
    }
  }
}

/// Whether two keys are spelled the same.
func areIdentical(_ a: [Value], _ b: [Value]) -> Bool {
  a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
}
