import TributarySQLite

/// Whether each row of the bookkeeping is valid by itself.
struct BookkeepingExamination: Examination {
  let store: StoreSubject

  let subject = "the rows of the bookkeeping"

  func examine(_ findings: inout [Finding]) throws {
    for rule in BookkeepingRule.all {
      do {
        let count =
          try store.connection.integer(
            "SELECT count(*) FROM \(rule.table) AS t WHERE \(rule.violation)") ?? 0
        guard count > 0 else { continue }
        let rows = count == 1 ? "a row" : "\(count) rows"
        findings.append(
          store.damage(
            rule.table.hasPrefix("tributary_outbox") ? .outbox : .bookkeeping,
            "\(rows) of \(rule.table) \(count == 1 ? "has" : "have") \(rule.meaning)"))
      } catch  where error.isDamage {
        findings.append(store.damage(.database, "\(rule.table): \(error.message)"))
      } catch {
        // A missing table or column has already been reported.
        continue
      }
    }
  }
}
