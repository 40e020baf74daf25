/// Figures that are measured together.
struct Case {
  var figures: [Figure]
  var measure: () throws -> [Measurement]

  init(_ figure: Figure, _ measure: @escaping () throws -> Measurement) {
    figures = [figure]
    self.measure = { [try measure()] }
  }

  init(_ figures: [Figure], _ measure: @escaping () throws -> [Measurement]) {
    self.figures = figures
    self.measure = measure
  }

  func matches(_ pattern: String) -> Bool {
    pattern.isEmpty || figures.contains { $0.name.lowercased().contains(pattern.lowercased()) }
  }
}
