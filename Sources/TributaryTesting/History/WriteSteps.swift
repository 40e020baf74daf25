internal import TributaryCore

/// The kinds of writes to one table.
struct WriteSteps {
  typealias Step = (purpose: String, statements: [RandomStatement])

  let table: RandomTable

  /// The rows of the table before the write; earlier steps may have changed them.
  let rows: [(key: ReferenceKey, row: ReferenceContents.Row)]

  init(table: RandomTable, contents: ReferenceContents) {
    self.table = table
    rows = contents.rows(of: table.model.name)
  }

  func next(using random: inout some RandomNumberGenerator) -> Step {
    // Rows first, so that there is something to collide with.
    switch rows.isEmpty ? random.number(0...5) : random.number(0...23) {
    case 0...3: insert(using: &random)
    case 4, 5: upsert(using: &random)
    case 6...10: update(using: &random)
    case 11, 12: updateMany(using: &random)
    case 13...15: delete(using: &random)
    case 16, 17: deleteAndInsert(using: &random)
    case 18: updateBack(using: &random)
    case 19...21: move(using: &random)
    case 22: rotate(using: &random)
    default: shift(using: &random)
    }
  }

  private func insert(using random: inout some RandomNumberGenerator) -> Step {
    let columns = someColumns(atLeast: 0, using: &random)
    let count = random.once(in: 3) ? random.number(2...4) : 1
    let answer: ConflictAnswer = random.pick([.abort, .abort, .fail, .ignore, .replace, .replace])
    let statement = table.insert(
      newRows(count, columns: columns, using: &random), columns: columns, onConflict: answer,
      selecting: random.once(in: 2))
    return ("insert \(count) or \(answer)", [statement])
  }

  private func upsert(using random: inout some RandomNumberGenerator) -> Step {
    let columns = someColumns(atLeast: 0, using: &random)
    let rows = newRows(random.number(1...2), columns: columns, using: &random)
    return ("upsert", [table.upsert(rows, columns: columns)])
  }

  private func update(using random: inout some RandomNumberGenerator) -> Step {
    let columns = someColumns(atLeast: 1, using: &random)
    let keys = [key(using: &random)]
    return (
      "update", [table.update(columns, to: values(columns.count, using: &random), of: keys)]
    )
  }

  private func updateMany(using random: inout some RandomNumberGenerator) -> Step {
    let columns = someColumns(atLeast: 1, using: &random)
    let keys =
      random.once(in: 3)
      ? nil : (0..<random.number(2...5)).map { _ in key(using: &random) }
    return (
      "update many", [table.update(columns, to: values(columns.count, using: &random), of: keys)]
    )
  }

  private func delete(using random: inout some RandomNumberGenerator) -> Step {
    if random.once(in: 10) { return ("delete all", [table.deleteAll()]) }
    let count = random.once(in: 3) ? random.number(2...4) : 1
    return ("delete \(count)", [table.delete((0..<count).map { _ in key(using: &random) })])
  }

  /// Returns a step that deletes and inserts a row. Sometimes the row is unchanged, so that this is
  /// no change at all.
  private func deleteAndInsert(using random: inout some RandomNumberGenerator) -> Step {
    let row = random.pick(rows).row
    let key = table.model.key(of: row)
    if random.once(in: 3) {
      let columns = table.otherColumns
      let same = RandomTable.NewRow(key: key, values: columns.map { row[$0]! })
      return (
        "delete and insert the same",
        [table.delete([key]), table.insert([same], columns: columns, onConflict: .abort)]
      )
    }
    let columns = someColumns(atLeast: 0, using: &random)
    let other = RandomTable.NewRow(key: key, values: values(columns.count, using: &random))
    return (
      "delete and insert",
      [table.delete([key]), table.insert([other], columns: columns, onConflict: .abort)]
    )
  }

  private func updateBack(using random: inout some RandomNumberGenerator) -> Step {
    let row = random.pick(rows).row
    let keys = [table.model.key(of: row)]
    let columns = someColumns(atLeast: 1, using: &random)
    return (
      "update and back",
      [
        table.update(columns, to: values(columns.count, using: &random), of: keys),
        table.update(columns, to: columns.map { row[$0]! }, of: keys),
      ]
    )
  }

  /// Returns a step that changes a key, sometimes to another spelling of the same key.
  private func move(using random: inout some RandomNumberGenerator) -> Step {
    let answer: ConflictAnswer = random.pick([.abort, .abort, .ignore, .replace])
    let statement = table.move(
      from: key(using: &random), to: randomKey(using: &random), onConflict: answer)
    return ("change a key or \(answer)", [statement])
  }

  /// Returns a step in which two rows exchange keys by way of a third key.
  private func rotate(using random: inout some RandomNumberGenerator) -> Step {
    let keys = [key(using: &random), randomKey(using: &random), key(using: &random)]
    return (
      "rotate keys",
      [
        table.move(from: keys[0], to: keys[1], onConflict: .abort),
        table.move(from: keys[2], to: keys[0], onConflict: .abort),
        table.move(from: keys[1], to: keys[2], onConflict: .abort),
      ]
    )
  }

  private func shift(using random: inout some RandomNumberGenerator) -> Step {
    guard table.hasIntegerKey else { return updateMany(using: &random) }
    let answer: ConflictAnswer = random.pick([.abort, .ignore, .replace])
    let (range, distance): (ClosedRange<Int64>, Int64) =
      random.once(in: 2) ? (1...6, 1000) : (1001...1006, -1000)
    return (
      "change many keys or \(answer)", [table.shift(range, by: distance, onConflict: answer)]
    )
  }

  private func newRows(
    _ count: Int, columns: [String], using random: inout some RandomNumberGenerator
  ) -> [RandomTable.NewRow] {
    (0..<count).map { _ in
      RandomTable.NewRow(
        key: key(using: &random), values: values(columns.count, using: &random))
    }
  }

  /// Returns a key as spelled, often that of an existing row.
  private func key(using random: inout some RandomNumberGenerator) -> [Value] {
    if rows.isEmpty || random.once(in: 3) { return randomKey(using: &random) }
    return table.model.key(of: random.pick(rows).row)
  }

  private func randomKey(using random: inout some RandomNumberGenerator) -> [Value] {
    table.keyKinds.map { RandomValues.key($0, using: &random) }
  }

  private func values(_ count: Int, using random: inout some RandomNumberGenerator) -> [Value] {
    (0..<count).map { _ in RandomValues.any(using: &random) }
  }

  private func someColumns(
    atLeast least: Int, using random: inout some RandomNumberGenerator
  ) -> [String] {
    let all = table.otherColumns
    return Array(all.shuffled(using: &random).prefix(random.number(least...all.count)))
  }
}
