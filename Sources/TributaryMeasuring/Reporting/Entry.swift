/// A figure with its result.
struct Entry {
  enum Result {
    case measured(Measurement)
    case failed(String)
    /// The product does not support it yet; says what is missing.
    case absent(String)
  }

  var figure: Figure
  var result: Result

  var measurement: Measurement? {
    if case .measured(let measurement) = result { measurement } else { nil }
  }

  /// The verdict, or a replacement for it.
  var verdict: String {
    switch result {
    case .measured(let measurement): figure.budget.verdict(measurement.value).rawValue
    case .failed: "not measured"
    case .absent: "not there yet"
    }
  }

  var measured: String {
    measurement.map { $0.value.shortText + " " + figure.unit.rawValue } ?? "–"
  }

  func limit(_ limit: Double?) -> String {
    limit.map { figure.budget.direction.sign + " " + $0.shortText } ?? "–"
  }

  /// The remarks beside the figure.
  var remarks: String {
    switch result {
    case .measured(let measurement):
      let details = measurement.details.map { "\($0.name) \($0.value.shortText)" }
      return (details + (measurement.note.isEmpty ? [] : [measurement.note]))
        .joined(separator: ", ")
    case .failed(let reason), .absent(let reason): return reason
    }
  }
}

extension Measurement.Other {
  var text: String {
    guard let ratio else { return remark }
    return ratio.shortText + " ×" + (remark.isEmpty ? "" : " (\(remark))")
  }
}
