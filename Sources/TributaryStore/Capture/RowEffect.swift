import TributaryCore
import TributaryLog

/// Describes what happened to one row, as a change of the log format.
struct RowEffect {
  let table: TableDescription
  /// The number of the table's shape.
  let number: UInt32
  /// The path of the store.
  let path: String

  /// Appends the change of a row.
  ///
  /// - Parameter isPut: whether the row was deleted and inserted, or replaced.
  /// - Throws: `StoreError` with the code `policy` for what the policy of a column does not allow.
  func append(
    from old: [Value]?, to current: [Value]?, isPut: Bool = false, into result: inout ByteBuffer
  ) throws(StoreError) {
    switch (old, current) {
    case (nil, nil): break
    case (let old?, nil): appendDelete(table.shape.keys.map { old[$0.column] }, &result)
    case (nil, let current?): try appendInsert(current, &result)
    case (let old?, let current?):
      guard !zip(old, current).allSatisfy({ $0.hasSameBits(as: $1) }) else { break }
      if isPut {
        try appendInsert(current, &result, as: .replace)
      } else {
        try appendUpdate(old, current, &result)
      }
    }
  }

  func appendDelete(_ key: [Value], _ result: inout ByteBuffer) {
    result.appendChangeHead(.delete, shape: number)
    for value in key { result.append(value) }
  }

  private func appendInsert(
    _ row: [Value], _ result: inout ByteBuffer, as operation: ChangeOperation = .insert
  ) throws(StoreError) {
    result.appendChangeHead(operation, shape: number)
    for (column, value) in row.enumerated() {
      if table.policies[column] == .counter { _ = try count(value, column) }
      result.append(value)
    }
  }

  private func appendUpdate(
    _ old: [Value], _ new: [Value], _ result: inout ByteBuffer
  ) throws(StoreError) {
    result.appendChangeHead(.update, shape: number)
    let keys = Set(table.shape.keys.map(\.column))
    var unchanged = 0
    for column in new.indices {
      let policy = table.policies[column]
      if !keys.contains(column), !table.mergesByRow || policy == .counter,
        old[column].hasSameBits(as: new[column])
      {
        unchanged += 1
        continue
      }
      result.appendAbsent(count: unchanged)
      unchanged = 0
      switch policy {
      case .counter:
        // A value that was not an integer when the column became a counter does not count.
        let start = (try? count(old[column], column)) ?? 0
        guard new[column] != .null else {
          throw StoreError(
            .policy,
            "a row of table \(table.name) would have NULL in its column \(table.shape.columns[column]), "
              + "which is a counter and holds a number", path: path, remedy: "write 0")
        }
        result.appendInteger(try count(new[column], column) &- start)
      default:
        guard policy.prevails(new[column], over: old[column]) else {
          throw StoreError(
            .policy,
            "a row of table \(table.name) would have a \(policy == .max ? "lower" : "higher") value in its column "
              + "\(table.shape.columns[column]), which keeps the \(policy == .max ? "largest" : "smallest")",
            path: path, remedy: "leave the value as it is, or replace the row by a new one")
        }
        result.append(new[column])
      }
    }
    result.appendAbsent(count: unchanged)
  }

  /// Returns the row with the values that the policies of its columns allow.
  func allowed(from old: [Value]?, to current: [Value]) -> [Value] {
    current.indices.map { column in
      let former = old?[column]
      switch table.policies[column] {
      case .latest, .last: return current[column]
      case .counter:
        if case .integer = current[column] { return current[column] }
        if case .integer = former { return former ?? .null }
        return current[column] == .null ? .null : .integer(0)
      case .max, .min:
        guard let former, !table.policies[column].prevails(current[column], over: former) else {
          return current[column]
        }
        return former
      }
    }
  }

  /// Returns the value of a counter, with NULL as 0.
  private func count(
    _ value: Value, _ column: Int
  ) throws(StoreError) -> Int64 {
    switch value {
    case .integer(let integer): return integer
    case .null: return 0
    default:
      throw StoreError(
        .policy,
        "a row of table \(table.name) would have a value other than an integer in its column "
          + "\(table.shape.columns[column]), which is a counter", path: path,
        remedy: "write an integer or NULL")
    }
  }
}
