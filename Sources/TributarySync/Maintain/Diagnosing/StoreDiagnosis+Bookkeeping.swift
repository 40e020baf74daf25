import TributaryCore
import TributaryLog
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Examines the bookkeeping of a store.
extension StoreDiagnosis {
  /// Examines whether the bookkeeping has all its tables.
  func bookkeepingTables(_ findings: inout Findings) throws {
    for discrepancy in try BookkeepingSchema.discrepancies(in: connection) {
      findings.add(damage(.bookkeeping, discrepancy, remedy: Remedy.rebuild))
    }
  }

  /// Examines whether each row of the bookkeeping is valid by itself.
  func bookkeepingRows(_ findings: inout Findings) throws {
    for rule in BookkeepingRule.all {
      do {
        let count =
          try connection.integer(
            "SELECT count(*) FROM \(rule.table) AS t WHERE \(rule.violation)") ?? 0
        guard count > 0 else { continue }
        findings.add(
          damage(
            rule.table.hasPrefix("tributary_outbox") ? .outbox : .bookkeeping,
            "\(count == 1 ? "a row" : "\(count) rows") of \(rule.table) "
              + "\(count == 1 ? "has" : "have") \(rule.meaning)"))
      } catch  where error.isDamage {
        findings.add(damage(.database, "\(rule.table): \(error.message)"))
      } catch {
        // A missing table or column has already been reported.
        continue
      }
    }
  }

  /// Examines whether the records of the bookkeeping can be read.
  func records(_ findings: inout Findings) throws {
    let parts: [(String, () throws -> Void)] = [
      ("shapes", { _ = try ShapeRegistry(connection) }),
      (
        "declarations of how tables merge",
        {
          try MergeOptions.checkPresence(in: connection)
          _ = try MergeOptions(connection)
        }
      ),
      ("conflicts", { _ = try ConflictTable(connection).conflicts(ended: true) }),
      ("held rows", { try HeldTable(connection, schema: schema()).check() }),
      ("births", { _ = try NumberingTable(connection, schema: schema()).all() }),
      ("refusals", { _ = try RefusalTable(connection).all() }),
      ("promises", { _ = try HorizonRecord(connection) }),
    ]
    for (name, read) in parts {
      func add(_ code: Finding.Code, _ message: String, remedy: String = Remedy.rebuild) {
        findings.add(damage(code, "the \(name) cannot be read: \(message)", remedy: remedy))
      }
      do {
        try read()
      } catch let error as StoreError {
        add(.bookkeeping, error.message, remedy: error.remedy)
      } catch let error as LogError {
        add(.bookkeeping, error.message)
      } catch let error as SQLiteError {
        add(error.isDamage ? .database : .bookkeeping, error.message)
      }
    }
  }

  // MARK: Own transactions

  /// Examines whether the store's own transactions are complete and readable.
  func outbox(_ findings: inout Findings) throws {
    if try Outbox(connection).last() == nil { return }
    let gaps = try connection.prepare(
      """
      SELECT before + 1, sequence - 1 FROM (
        SELECT sequence, lag(sequence, 1, ?) OVER (ORDER BY sequence) AS before
        FROM tributary_outbox WHERE sequence > 0
      ) WHERE sequence > before + 1 LIMIT 10
      """)
    // Transactions that were removed because baselines contain them are not missing.
    let removed = try RemovedTransactions(connection).last
    try gaps.bind([.integer(Int64(removed.rawValue))])
    while try gaps.step() {
      let first = SequenceNumber(UInt64(clamping: gaps.integer(0)))
      let last = max(first, SequenceNumber(UInt64(clamping: gaps.integer(1))))
      findings.add(
        damage(
          .outbox, "tributary_outbox lacks \(PeerText.transactions(first...last)) of this store"))
    }
    if let sequence = try connection.integer(
      """
      SELECT sequence FROM tributary_outbox_piece GROUP BY sequence
      HAVING min(piece) <> 1 OR max(piece) <> count(*) LIMIT 1
      """)
    {
      findings.add(
        damage(.outbox, "tributary_outbox_piece lacks pieces of transaction \(sequence)"))
    }
    try outboxTimes(&findings)
    try outboxChanges(&findings)
  }

  private func outboxTimes(_ findings: inout Findings) throws {
    let statement = try connection.prepare(
      "SELECT sequence, time FROM tributary_outbox ORDER BY sequence")
    var before: HybridTime?
    while try statement.step() {
      let time = HybridTime(rawValue: UInt64(bitPattern: statement.integer(1)))
      if let before, time <= before {
        findings.add(
          damage(
            .outbox,
            "transaction \(statement.integer(0)) of this store is not later than the one before it")
        )
        return
      }
      before = time
    }
  }

  private func outboxChanges(_ findings: inout Findings) throws {
    let registry = try ShapeRegistry(connection)
    let statement = try connection.prepare(
      """
      SELECT sequence, changes FROM tributary_outbox
      UNION ALL SELECT sequence, changes FROM tributary_outbox_piece
      """)
    var reported: Set<Int64> = []
    while try statement.step() {
      let sequence = statement.integer(0)
      do {
        var reader = ChangeListReader(statement.bytes(1))
        while try reader.next(layout: registry.layout) != nil {}
      } catch {
        guard reported.count < 10, reported.insert(sequence).inserted else { continue }
        findings.add(
          damage(
            .outbox, "transaction \(sequence) of this store cannot be read: \(error.message)"))
      }
    }
  }

  /// Examines whether the store's records of its published segments are consistent.
  func segmentTable(_ findings: inout Findings) throws {
    for contradiction in try SegmentTable(connection).contradictions(upTo: last()) {
      findings.add(damage(.bookkeeping, contradiction))
    }
  }

  // MARK: Other peers

  /// Examines whether what the store knows about other peers is consistent.
  func knowledge(_ findings: inout Findings) throws {
    if try connection.integer(
      "SELECT count(*) FROM tributary_peer WHERE peer = ?", .blob(identity().peer.bytes)) != 0
    {
      findings.add(damage(.bookkeeping, "tributary_peer lists the store itself"))
    }
    let last = Int64(clamping: try last().rawValue)
    for (violation, meaning) in [
      ("p.id IS NULL", "names a peer that tributary_peer does not have"),
      ("k.sequence > p.sequence", "knows more of a peer than tributary_peer says"),
      ("k.after > \(last)", "is about own transactions that do not exist"),
      (
        """
        EXISTS (SELECT 1 FROM tributary_knowledge AS b
          WHERE b.peer = k.peer AND b.after < k.after AND b.sequence > k.sequence)
        """, "knows less than it did before"
      ),
    ] {
      if try connection.integer(
        """
        SELECT 1 FROM tributary_knowledge AS k LEFT JOIN tributary_peer AS p ON p.id = k.peer
        WHERE \(violation) LIMIT 1
        """) != nil
      {
        findings.add(damage(.bookkeeping, "a row of tributary_knowledge \(meaning)"))
      }
    }
    if try connection.integer(
      """
      SELECT 1 FROM tributary_peer AS p WHERE p.sequence >
        (SELECT ifnull(max(k.sequence), 0) FROM tributary_knowledge AS k WHERE k.peer = p.id) LIMIT 1
      """) != nil
    {
      findings.add(
        damage(.bookkeeping, "tributary_peer knows more of a peer than tributary_knowledge"))
    }
  }
}
