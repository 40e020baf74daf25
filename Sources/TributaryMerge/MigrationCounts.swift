/// Which changes of counters by a migration count, if several devices have run it without knowing of each
/// other: for each row and column, the earliest.
struct MigrationCounts {
  enum Verdict {
    case counts
    /// An earlier change counts, and this one never has.
    case passedOver
    /// An earlier change has arrived; this one has counted until now.
    case takenBack
  }

  private struct Cell: Hashable {
    var mark: String
    var column: Int
  }

  private enum State {
    /// The earliest change has counted already.
    case counted
    /// The earliest change is new.
    case new
    /// The earliest change is new, and the one that counted before it has been undone.
    case settled
  }

  private var states: [Cell: State] = [:]

  /// Judges the changes of a row, in order of stamp.
  ///
  /// - Parameter isNew: whether it is being imported; otherwise the store has it already.
  mutating func judge(_ mark: String, column: Int, isNew: Bool) -> Verdict {
    let cell = Cell(mark: mark, column: column)
    switch states[cell] {
    case nil:
      states[cell] = isNew ? .new : .counted
      return .counts
    case .new where !isNew:
      states[cell] = .settled
      return .takenBack
    case .counted, .new, .settled: return .passedOver
    }
  }
}
