/// A count with a limit.
package struct CountedFigure {
  /// What was done and what was counted, which is also the name of its limit.
  package var name: String
  package var value: Double
  /// The count for plain SQLite, if it can do the same.
  package var plain: Double?
  /// Whether the count is the same in each run, so that it can have a limit.
  package var isHeld = true

  /// Makes a figure.
  ///
  /// - Parameter amount: the divisor of the count, such as the number of rows.
  package init(_ name: String, _ count: UInt64, of amount: Int = 1, plain: UInt64? = nil) {
    self.name = name
    value = Double(count) / Double(amount)
    self.plain = plain.map { Double($0) / Double(amount) }
  }
}

extension Counts {
  /// Returns the figures of some work on rows.
  ///
  /// - Parameter portion: the unit for which system calls are counted, and the number of units.
  func figures(
    of work: String, rows: Int, per portion: (name: String, count: Int), plain: Counts? = nil
  ) -> [CountedFigure] {
    [
      CountedFigure("\(work): allocations a row", allocations, of: rows, plain: plain?.allocations),
      CountedFigure(
        "\(work): SQLite's allocations a row", databaseAllocations, of: rows,
        plain: plain?.databaseAllocations),
      CountedFigure("\(work): SQLite's steps a row", steps, of: rows, plain: plain?.steps),
      CountedFigure(
        "\(work): system calls \(portion.name)", systemCalls, of: portion.count,
        plain: plain?.systemCalls),
    ]
  }

  /// Returns the figures of one event.
  func figures(of event: String) -> [CountedFigure] {
    var allocations = CountedFigure("\(event): allocations", allocations)
    // Short paths need no allocation, and the lengths of paths cannot be controlled.
    allocations.isHeld = false
    return [
      allocations,
      CountedFigure("\(event): SQLite's steps", steps),
      CountedFigure("\(event): system calls", systemCalls),
      CountedFigure("\(event): waits for the disk", syncs),
    ]
  }
}
