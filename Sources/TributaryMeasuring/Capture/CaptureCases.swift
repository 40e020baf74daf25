/// The write path of a store compared with plain SQLite.
struct CaptureCases {
  let options: Options
  let fixtures: Fixtures

  var all: [Case] {
    [
      make("insert, 1 row/txn", .insert, 1, 20_000, must: 1.7, goal: 1.2),
      make("insert, 100 rows/txn", .insert, 100, 100_000, must: 1.8, goal: 1.4),
      make("insert, 10,000 rows/txn", .insert, 10_000, 200_000, must: 1.9, goal: 1.5),
      make(
        "insert, 16-byte key, 100 rows/txn", .insert, 100, 50_000, key: .blob, must: 1.35,
        goal: 1.15),
      make(
        "insert, two indexes, 100 rows/txn", .insert, 100, 50_000, indexes: true, must: 1.1,
        goal: 1.02),
      make("update, 1 row/txn", .update, 1, 20_000, must: 1.45, goal: 1.1),
      make("update, 100 rows/txn", .update, 100, 50_000, must: 1.2, goal: 1.1),
      make("delete, 1 row/txn", .delete, 1, 20_000, must: 1.45, goal: 1.1),
      make("delete, 100 rows/txn", .delete, 100, 50_000, must: 1.1, goal: 1.05),
      make(
        "insert, synchronous=FULL, 1 row/txn", .insert, 1, 2000, full: true, must: 1.1, goal: 1.05),
      make("read", .read, 100_000, 100_000, must: 1.02, goal: 1.0),
      make(
        "by triggers, any writer, insert, 100 rows/txn", .insert, 100, 100_000, byTriggers: true,
        must: 3.2, goal: 2.0),
    ]
  }

  private func make(
    _ name: String, _ operation: Workload.Operation, _ rowsPerTransaction: Int, _ rows: Int,
    key: Workload.Key = .integer, indexes: Bool = false, full: Bool = false,
    byTriggers: Bool = false, must: Double, goal: Double
  ) -> Case {
    let workload = Workload(
      operation: operation, key: key, indexes: indexes, rowsPerTransaction: rowsPerTransaction,
      rows: options.isQuick ? max(rows / 4, rowsPerTransaction) : rows, isFullySynchronous: full,
      isByTriggers: byTriggers)
    return Case(Figure("capture: " + name, must: must, goal: goal)) {
      try CaptureComparison(options: options, fixtures: fixtures, workload: workload).measure()
    }
  }
}
