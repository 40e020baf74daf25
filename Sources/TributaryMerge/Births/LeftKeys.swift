import TributaryLog
import TributaryStore

/// The keys that changes leave because a number in them means another row than before.
struct LeftKeys {
  private struct Departure {
    /// The authors who inserted a row under the key.
    var inserts: [BatchTransaction] = []
    /// The authors who changed a row that they found there.
    var others: [BatchTransaction] = []
  }

  private var keys: [Int: Departure] = [:]

  /// Adds a change that leaves a key; the order does not matter.
  ///
  /// - Parameter row: the number of the key's row in the batch.
  mutating func add(_ operation: ChangeOperation, by author: BatchTransaction, row: Int) {
    if operation == .insert {
      keys[row, default: Departure()].inserts.append(author)
    } else {
      keys[row, default: Departure()].others.append(author)
    }
  }

  /// Whether an author changed a row that none of these changes had inserted: it was there before the number
  /// was given twice, and the changes that stay may bring it back.
  ///
  /// Who inserts a row finds none under its key, not even a held one, which would be replaced. So what is older
  /// was dead, by a deletion that stays.
  var mayHaveOlderRows: Bool {
    keys.values.contains { departure in
      departure.others.contains { author in
        !departure.inserts.contains { $0.side == author.side || author.saw($0.side) }
      }
    }
  }
}
