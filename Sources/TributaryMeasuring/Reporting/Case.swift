/// Figures that are measured together.
struct Case {
  var figures: [Figure]
  private let measure: () throws -> [Measurement]
  private var missing: String?

  init(_ figure: Figure, _ measure: @escaping () throws -> Measurement) {
    self.init([figure]) { [try measure()] }
  }

  init(_ figures: [Figure], _ measure: @escaping () throws -> [Measurement]) {
    self.figures = figures
    self.measure = measure
  }

  /// Makes a case with a budget that cannot be measured, because the product does not support it
  /// yet.
  init(_ figure: Figure, missing: String) {
    self.init([figure]) { [] }
    self.missing = missing
  }

  func matches(_ pattern: String) -> Bool {
    pattern.isEmpty || figures.contains { $0.name.lowercased().contains(pattern.lowercased()) }
  }

  /// Measures the figures. A failure appears in their place.
  func run() -> [Entry] {
    if let missing { return figures.map { Entry(figure: $0, result: .absent(missing)) } }
    do {
      return try zip(figures, measure()).map { Entry(figure: $0, result: .measured($1)) }
    } catch {
      return figures.map { Entry(figure: $0, result: .failed("\(error)")) }
    }
  }
}
