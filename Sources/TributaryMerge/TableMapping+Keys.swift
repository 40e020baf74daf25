import TributaryCore
import TributaryLog
import TributaryStore

extension TableMapping {
  /// Checks that the table keeps the key of a change as it is. A column of another type would turn it into
  /// another key, so that devices would not mean the same row, or could not store it at all.
  ///
  /// - Throws: `MergeError` with the code `constraint`, `LogError`.
  func checkKey(of change: ChangeView) throws {
    var cursor = ImageCursor(change.image)
    if change.operation == .delete {
      for place in keyAffinities.indices { try check(cursor.next(), place) }
    } else if sourceKeys.count == 1 {
      if keyAffinities[0] == nil { return }
      for _ in 0..<sourceKeys[0] { _ = try cursor.next() }
      try check(cursor.next(), 0)
    } else {
      for column in 0...(sourceKeys.max() ?? 0) {
        let view = try cursor.next()
        if let place = sourceKeys.firstIndex(of: column) { try check(view, place) }
      }
    }
  }

  @inline(__always)
  private func check(_ view: ValueView, _ place: Int) throws(MergeError) {
    guard let affinity = keyAffinities[place] else { return }
    switch (view.kind, affinity) {
    // The encoding of the key reports what is wrong with a missing key.
    case (.null, _), (.absent, _): return
    case (.integer, .integer), (.integer, .real), (.integer, .numeric), (.text, .text): return
    default: break
    }
    guard let value = view.value,
      table.hasRowIdentifierKey ? !value.isRowNumber : affinity.changes(key: value)
    else { return }
    throw differs(value, place, affinity)
  }

  private func differs(_ value: Value, _ place: Int, _ affinity: Affinity) -> MergeError {
    let column = table.shape.columns[table.shape.keys[place].column]
    return MergeError(
      .constraint,
      "the key of table \(table.name) has another type in the log than here: column \(column) is "
        + "\(affinity.rawValue.uppercased()) here and cannot have \(value) as it is",
      remedy: MergeError.oneKey("the table needs one type of key on all devices", table.name))
  }
}

extension Value {
  /// Whether SQLite takes it as the number of a row without turning it into another key.
  fileprivate var isRowNumber: Bool {
    switch self {
    case .integer: true
    case .real(let real): Int64(exactly: real) != nil
    case .null, .text, .blob: false
    }
  }
}
