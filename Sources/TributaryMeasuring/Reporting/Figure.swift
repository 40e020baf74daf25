/// A row of the table: what is measured, its unit and its budget.
struct Figure {
  enum Unit: String {
    case ratio = "×"
    case bytes = "B"
    case megabytes = "MB"
    case milliseconds = "ms"
    case microseconds = "µs"
    case percent = "%"
    case gigabytesPerSecond = "GB/s"
  }

  var name: String
  var unit = Unit.ratio
  var budget: Budget

  init(
    _ name: String, _ unit: Unit = .ratio, must: Double?, goal: Double?,
    _ direction: Budget.Direction = .atMost
  ) {
    self.name = name
    self.unit = unit
    budget = Budget(must: must, goal: goal, direction: direction)
  }
}
