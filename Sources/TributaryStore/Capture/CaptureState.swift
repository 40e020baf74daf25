import TributaryCore
import TributaryLog

/// The changes of the open transaction, as the preupdate hook sees them.
///
/// It lives in raw memory, so that the hook reaches it through a pointer, without reference counting or
/// exclusivity checks for each row.
struct CaptureState: ~Copyable {
  /// Whether to capture: changes that the store makes itself (bookkeeping, imports) are not the
  /// application's.
  var isActive = false

  /// Whether the database stores text as UTF-8, as the log does.
  let isUTF8: Bool

  /// The change items of the log format, in the order in which they happened.
  var changes = ByteBuffer(capacity: 1 << 16)
  var count = 0

  var tables: UnsafeMutableBufferPointer<CaptureTable> = .allocate(capacity: 0)
  /// The table of the last change: rows of one table often come together.
  var currentTable = 0

  /// The parts of `changes` whose statement failed and was undone, or that could not be read reliably. Their
  /// rows are examined again at the commit.
  var undone: [Range<Int>] = []

  enum Refusal: Equatable {
    // The table is given by its name, because the tables may be reread before the commit.
    case unusable(table: String)
    case nullInKey(table: String)
    case sqlite(Int32)
  }

  /// Whether a row was given the key to which it itself refers, or may have been. SQLite's own count of
  /// violated foreign keys may then be wrong.
  var mayMiscount = false

  /// The rows that cannot be replicated, one of each kind and table. The transaction cannot be committed with
  /// any of them.
  var refusals: [Refusal] = []

  /// All tables in which rows change, for those who observe the store.
  var touched = TouchedTables()

  init(isUTF8: Bool) { self.isUTF8 = isUTF8 }

  deinit {
    for table in tables { table.deallocate() }
    tables.deallocate()
  }

  /// Replaces the tables; changes that are already captured keep the shape numbers of the old ones.
  mutating func replaceTables(_ new: [CaptureTable]) {
    for table in tables { table.deallocate() }
    tables.deallocate()
    tables = .allocate(capacity: new.count)
    _ = tables.initialize(fromContentsOf: new)
    currentTable = 0
  }

  /// Makes the commit compare the rows of the changes from `start` on.
  mutating func doubt(from start: Int) {
    // Rows come in runs; joining their ranges keeps the lookup of each row short.
    if let last = undone.last, last.upperBound == start, last.lowerBound < start {
      undone[undone.count - 1] = last.lowerBound..<changes.count
    } else {
      undone.append(start..<changes.count)
    }
  }

  /// Records a row that cannot be replicated.
  mutating func refuse(_ refusal: Refusal) {
    if !refusals.contains(refusal) { refusals.append(refusal) }
  }

  /// Discards undone writes to unusable tables, except for the first `count` refusals. The other refusals are
  /// examined again at the commit: captured changes may have NULL in their keys.
  mutating func takeBackRefusals(after count: Int) {
    guard refusals.count > count else { return }
    refusals[count...].removeAll { if case .unusable = $0 { true } else { false } }
  }

  /// Resets the state for the next transaction.
  mutating func reset() {
    changes.removeAll()
    count = 0
    if !undone.isEmpty { undone.removeAll() }
    if !refusals.isEmpty { refusals.removeAll() }
    mayMiscount = false
    for index in tables.indices {
      tables[index].isAscending = true
      tables[index].lastKey = .min
    }
  }

  /// Whether no row can have been changed twice, so that the changes are their own net effect.
  var isPlainlyNet: Bool {
    (count <= 1 || tables.allSatisfy(\.isAscending)) && undone.isEmpty
  }
}
