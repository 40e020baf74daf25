/// A count that is held to a limit.
package struct CountedFigure {
  /// What was done, and what was counted of that; the name of its limit.
  package var name: String
  package var value: Double
  /// The same of plain SQLite, where it does that too.
  package var plain: Double?
  /// Whether it is the same in each run, so that it can have a limit.
  package var isHeld = true

  /// - Parameter amount: what the count is divided by, such as rows.
  package init(_ name: String, _ count: UInt64, of amount: Int = 1, plain: UInt64? = nil) {
    self.name = name
    value = Double(count) / Double(amount)
    self.plain = plain.map { Double($0) / Double(amount) }
  }
}

extension Counts {
  /// The figures of some work on rows.
  ///
  /// - Parameter portion: what system calls are counted for, and how many of that there were.
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

  /// The figures of one event.
  func figures(of event: String) -> [CountedFigure] {
    var allocations = CountedFigure("\(event): allocations", allocations)
    // Short paths take none, and the lengths of paths are not ours.
    allocations.isHeld = false
    return [
      allocations,
      CountedFigure("\(event): SQLite's steps", steps),
      CountedFigure("\(event): system calls", systemCalls),
      CountedFigure("\(event): waits for the disk", syncs),
    ]
  }
}
