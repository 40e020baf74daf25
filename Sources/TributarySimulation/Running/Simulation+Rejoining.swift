internal import TributaryCore
internal import TributaryStore
internal import TributarySync
internal import TributaryTesting

extension Simulation {
  /// Makes a store an ordinary database, which another program may write to, and then joins the logs that
  /// have arrived.
  func rejoin(_ device: SimulatedDevice, using random: inout SeededGenerator) throws {
    let store = device.store
    let isLeaving = random.once(in: 2)
    if isLeaving { note("as it is") }
    let settled = try store.settled()
    device.isOpen = false
    try store.detach(leavingUnpublished: isLeaving)
    carrier.collectAll(using: &random)
    history.truncate(device.peer, to: lastPublished(by: device.peer, after: settled))
    if random.once(in: 2) {
      generator.reseed(random.next())
      let write = generator.nextWrite(for: try store.detachedContents())
      note("another program: \(write)")
      try store.runDetached(write)
    }
    let before = try store.detachedContents()
    let report: AttachReport
    do {
      report = try join(device, using: &random)
    } catch let error as SyncError where [.contradiction, .logsMissing].contains(error.code) {
      note("could not join: \(error)")
      let difference = try store.detachedContents().difference(from: before)
      try demand(.lost, difference.isEmpty, "changed by an attempt to join: \(difference)")
      try store.discard()
      return try attach(device, [], using: &random)
    }
    // Logs that a baseline stands for need not be there.
    var own = try store.settled()
    own[device.peer] = device.recorded
    try checkImport(by: device, since: own, report.waiting)
    try checkNothingIsLost(of: before, by: store, report)
    carrier.collectAll(using: &random)
    try compare(device)
  }

  /// Attaches the database of a device, and records what the store has written when it joined.
  private func join(
    _ device: SimulatedDevice, using random: inout SeededGenerator
  ) throws -> AttachReport {
    let peer = PeerIdentity.random(using: &random)
    let peers = device.files.disk.names(in: SimulatedCarrier.peersPath) ?? []
    // A database that joins logs has an identity that sorts before those of others.
    device.files.writers = [peer, peer.preceding(peers.compactMap { PeerIdentity(hex: $0) })]
    let report = try device.store.attach(as: peer, migrating: true)
    note("joined as \(device.peer): \(report.outcome)")
    device.isOpen = true
    carrier.writers[device.number] = device.peer
    let known = try device.store.knowledge()
    let horizon = try device.store.settlement()
    device.recorded = .zero
    for number in 0..<known[device.peer].rawValue {
      let record = try record(of: device, SequenceNumber(number + 1))
      var before = record.time == .zero ? Knowledge() : known
      // The losing values, and what replaces them, come directly after the horizon.
      if let horizon, record.time.rawValue <= horizon.latest.rawValue + 2 {
        before = horizon.contents
      }
      before[device.peer] = SequenceNumber(number)
      try append(record, of: device, knowing: before)
    }
    return report
  }

  /// Checks that each value of a database is visible, in a conflict, or in a named file. What the logs show
  /// in place of an invisible parent is ignored, because the joining database may bring the parent back.
  private func checkNothingIsLost(
    of before: ReferenceContents, by store: SimulatedStore, _ report: AttachReport
  ) throws {
    let after = try store.contents()
    let conflicts = try store.conflicts().map(\.conflict)
    let before = try saying(before, to: store)
    for table in generator.schema.tables where table.keepsEqualRowsApart {
      try checkNoneIsLost(of: before, in: after, table, conflicts)
    }
    let mayMove = generator.schema.tables.contains { !$0.identifyingColumns.isEmpty }
    for table in generator.schema.tables where !table.keepsEqualRowsApart {
      for (key, row) in before.tables[table.name, default: [:]] {
        let present = after.tables[table.name]?[key]
        // The number may belong to a row that now has another one.
        if isRead(row, besides: present, in: after, table, conflicts) { continue }
        for (column, value) in row where !table.isKey(column) || present == nil {
          if let shown = present?[column], shown.isIdentical(to: value) { continue }
          // A row that is the same as a row in the logs takes its number, and references to it follow.
          if mayMove, mayHaveMoved(column, value, of: table, in: after) { continue }
          // Beyond a horizon, everything that the logs contradict is in that file.
          if report.setAside != nil, table[column: column].policy != .later || plan.forgets {
            continue
          }
          let isListed = conflicts.contains { conflict in
            conflict.table == table.name
              && conflict.values[column].map { $0.isIdentical(to: value) } ?? false
          }
          try demand(
            .lost, isListed,
            "joining lost \(column) = \(value) of row \(key) of \(table.name), \(report.outcome)")
        }
      }
    }
  }

  /// Returns the rows of a database that joined without the values that the imported logs showed in place of
  /// a parent that was not visible.
  private func saying(
    _ contents: ReferenceContents, to store: SimulatedStore
  ) throws -> ReferenceContents {
    var known = try store.knowledge()
    known[store.peer] = .zero
    let imported = expected(of: history.known(known))
    var contents = contents
    for conflict in imported.conflicts where conflict.kind == .foreignKey && !conflict.isHeld {
      let key = generator.schema[conflict.table].canonical(conflict.key)
      guard var row = contents.tables[conflict.table]?[key],
        let shown = imported.visible.tables[conflict.table]?[key]
      else { continue }
      for column in conflict.values.keys where row[column]!.isIdentical(to: shown[column]!) {
        row[column] = nil
      }
      contents.tables[conflict.table]![key] = row
    }
    return contents
  }

  /// Whether a value may be in another row, or may be another number.
  private func mayHaveMoved(
    _ column: String, _ value: Value, of table: ReferenceTable, in contents: ReferenceContents
  ) -> Bool {
    generator.schema.numberedTable(of: column, in: table) != nil
      || contents.rows(of: table.name).contains { $0.row[column]!.isIdentical(to: value) }
  }

  /// Whether a row is read with numbers that differ from those in the database. What is not shown under its
  /// key is then shown by one row of the table, or in a conflict of that row, which may be held or dead. A
  /// column with a number has another number there.
  private func isRead(
    _ row: ReferenceContents.Row, besides present: ReferenceContents.Row?,
    in contents: ReferenceContents, _ table: ReferenceTable, _ conflicts: [ReferenceConflict]
  ) -> Bool {
    let numbers = Set(
      row.keys.filter { generator.schema.numberedTable(of: $0, in: table) != nil })
    if numbers.isEmpty { return false }
    let conflicts = conflicts.filter { $0.table == table.name }
    let shown = contents.tables[table.name, default: [:]]
    return Set(shown.keys).union(conflicts.map { table.canonical($0.key) }).contains { key in
      row.allSatisfy { column, value in
        func isEqual(_ other: Value?) -> Bool { other?.isIdentical(to: value) ?? false }
        return table.isKey(column) || isEqual(present?[column]) || isEqual(shown[key]?[column])
          || conflicts.contains {
            table.canonical($0.key) == key
              && (isEqual($0.values[column])
                || numbers.contains(column) && $0.values[column]?.number != nil)
          }
      }
    }
  }

  /// Checks that each row that identifies itself is visible with its values, under whatever number, or in
  /// conflicts, or an older version of a row in the logs: the logs have written each of its values under its
  /// number.
  private func checkNoneIsLost(
    of before: ReferenceContents, in after: ReferenceContents, _ table: ReferenceTable,
    _ conflicts: [ReferenceConflict]
  ) throws {
    var visible = after.rows(of: table.name).map(\.row)
    let key = table.keyColumns[0].name
    var rest: [(row: ReferenceContents.Row, lost: String)] = []
    for (_, row) in before.rows(of: table.name) {
      let lost = row.first { column, value in
        column != key && !isLogged(value, column, of: row[key]!, table)
          && !conflicts.contains {
            $0.table == table.name && $0.values[column].map { $0.isIdentical(to: value) } ?? false
          }
      }
      if let lost { rest.append((row, "\(lost.key) = \(lost.value)")) }
    }
    // Among equal rows, any one may be the older version.
    for (row, lost) in rest {
      let place = visible.firstIndex { other in
        row.allSatisfy { column, value in
          column == key || other[column]!.isIdentical(to: value)
            || isOfOneRow(
              value, in: before, other[column]!, in: after, column, of: table, conflicts)
        }
      }
      guard let place else {
        throw SimulationFailure(.lost, "joining lost \(lost) of \(row) of \(table.name)")
      }
      visible.remove(at: place)
    }
  }

  /// Whether a column refers to the same row in both contents under two numbers, because the values that make
  /// rows the same are equal. A row of a joining database takes the number in the logs, and references to it
  /// follow.
  private func isOfOneRow(
    _ value: Value, in before: ReferenceContents, _ other: Value, in after: ReferenceContents,
    _ column: String, of table: ReferenceTable, _ conflicts: [ReferenceConflict]
  ) -> Bool {
    guard let name = generator.schema.numberedTable(of: column, in: table),
      let old = value.number, let new = other.number
    else { return false }
    let owner = generator.schema[name]
    let key = owner.canonical([.integer(new)])
    let held = conflicts.first {
      $0.isHeld && $0.table == name && owner.canonical($0.key) == key
    }
    guard !owner.identifyingColumns.isEmpty,
      let row = before[owner.identity([.integer(old)])],
      let present = after.tables[name]?[key] ?? held?.values
    else { return false }
    return owner.identifyingColumns.allSatisfy { part in
      guard let value = row[part.name], let other = present[part.name], value != .null else {
        return false
      }
      // What they refer to may have other numbers, too.
      return part.collation.canonical(value) == part.collation.canonical(other)
        || generator.schema.numberedTable(of: part.name, in: owner) != nil && other.number != nil
    }
  }

  /// Whether the logs have written a value in a column under a number.
  private func isLogged(
    _ value: Value, _ column: String, of number: Value, _ table: ReferenceTable
  ) -> Bool {
    history.transactions.values.joined().contains { transaction in
      transaction.changes.contains {
        $0.table == table.name && $0.key[0].isIdentical(to: number)
          && $0.values[column].map { $0.isIdentical(to: value) } ?? false
      }
    }
  }
}
