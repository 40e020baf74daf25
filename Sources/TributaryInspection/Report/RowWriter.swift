internal import TributaryLog

/// The last writes of one peer to a row, except those that an author who knew them has overwritten.
struct RowWriter: Equatable {
  /// The last write of one column.
  struct Cell: Equatable {
    /// A hash of the column's name; zero for the row itself, which an insert writes.
    var column: UInt32
    var sequence: UInt64
    var operation: ChangeOperation
    /// The digest of the value: 30 bits of a hash, so one difference in a billion is taken for
    /// equality.
    var digest: UInt32
  }

  /// The peer's number in the report.
  var peer: Int
  /// The sequence of its deletion of the row; zero if there is none.
  var deletion: UInt64 = 0
  var cells: [Cell] = []

  var isEmpty: Bool { deletion == 0 && cells.isEmpty }

  // MARK: Words

  /// | Word | Meaning                                                      |
  /// |-----:|--------------------------------------------------------------|
  /// |    0 | peer                                                         |
  /// |    1 | deletion                                                     |
  /// |    2 | cells                                                        |
  /// |    3 | of each cell: column (upper half), digest, operation (2 bits) |
  /// |    4 | of each cell: sequence                                       |
  func append(to words: inout [UInt64]) {
    words += [UInt64(peer), deletion, UInt64(cells.count)]
    for cell in cells {
      let operation = Self.operations.firstIndex(of: cell.operation) ?? 0
      words.append(UInt64(cell.column) << 32 | UInt64(cell.digest << 2) | UInt64(operation))
      words.append(cell.sequence)
    }
  }

  static func writers(_ words: [UInt64]) -> [RowWriter] {
    var writers: [RowWriter] = []
    var place = 0
    while place + 3 <= words.count {
      var writer = RowWriter(peer: Int(words[place]), deletion: words[place + 1])
      let count = Int(words[place + 2])
      place += 3
      for index in 0..<count {
        let word = words[place + 2 * index]
        writer.cells.append(
          Cell(
            column: UInt32(word >> 32), sequence: words[place + 2 * index + 1],
            operation: operations[Int(word & 3)],
            digest: UInt32(truncatingIfNeeded: word) >> 2))
      }
      place += 2 * count
      writers.append(writer)
    }
    return writers
  }

  private static let operations: [ChangeOperation] = [.insert, .replace, .update, .delete]
}
