import TributaryCore

extension CountLimits {
  /// Returns the file with the counts as its limits, in order, with no more slack than the third
  /// decimal place.
  package func updated(by figures: [CountedFigure]) -> String {
    let lines = figures.filter(\.isHeld).map { figure in
      var json = JSONWriter()
      json.object { json in
        json.member("figure", figure.name)
        json.member("limit") { $0.value(Self.limit(figure.value)) }
        json.member("why", self[figure.name]?.reason ?? "")
      }
      return "    " + json.text
    }
    return "{\n  \"limits\": [\n" + lines.joined(separator: ",\n") + "\n  ]\n}\n"
  }

  private static func limit(_ value: Double) -> Value {
    let thousandths = (value * 1000).rounded(.up)
    if thousandths.truncatingRemainder(dividingBy: 1000) == 0 { return .integer(Int64(value)) }
    return .real(thousandths / 1000)
  }
}
