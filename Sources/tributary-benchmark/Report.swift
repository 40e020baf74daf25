import Foundation
import TributaryCore

/// Prints figures, each as soon as it is known.
struct Report {
  let isJSON: Bool
  private var measured: [(figure: Figure, measurement: Measurement)] = []
  private var failures: [(name: String, reason: String)] = []

  init(isJSON: Bool) { self.isJSON = isJSON }

  func printHead() {
    guard !isJSON else { return }
    print(line("figure", "measured", "must", "goal", "verdict", ""))
  }

  mutating func add(_ figure: Figure, _ measurement: Measurement) {
    measured.append((figure, measurement))
    guard !isJSON else { return }
    let details = measurement.details.map { "\($0.name) \(Self.text($0.value))" }
    print(
      line(
        figure.name, Self.text(measurement.value) + " " + figure.unit.rawValue,
        figure.budget.must.map { "≤ " + Self.text($0) } ?? "–",
        figure.budget.goal.map { "≤ " + Self.text($0) } ?? "–",
        figure.budget.verdict(measurement.value).rawValue, details.joined(separator: ", ")))
    fflush(nil)
  }

  mutating func add(failure: any Error, of figure: Figure) {
    failures.append((figure.name, "\(failure)"))
    if !isJSON { print(line(figure.name, "–", "", "", "not measured", "\(failure)")) }
  }

  func printEnd(_ machine: Machine) {
    guard isJSON else { return print("\n\(machine.description)") }
    var json = JSONWriter()
    json.object { json in
      json.member("machine", machine.description)
      json.member("figures") { json in
        json.array { json in for entry in measured { write(entry.figure, entry.measurement, &json) }
        }
      }
      json.member("failures") { json in
        json.object { json in for failure in failures { json.member(failure.name, failure.reason) }
        }
      }
    }
    print(json.text)
  }

  private func write(_ figure: Figure, _ measurement: Measurement, _ json: inout JSONWriter) {
    json.object { json in
      json.member("name", figure.name)
      json.member("unit", figure.unit.rawValue)
      json.member("measured") { $0.value(.real(measurement.value)) }
      json.member("must") { $0.value(figure.budget.must.map { .real($0) } ?? .null) }
      json.member("goal") { $0.value(figure.budget.goal.map { .real($0) } ?? .null) }
      json.member("verdict", figure.budget.verdict(measurement.value).rawValue)
      json.member("rounds") { json in
        json.array { json in for round in measurement.rounds { json.value(.real(round)) } }
      }
      json.member("details") { json in
        json.object { json in
          for detail in measurement.details {
            json.member(detail.name) { $0.value(.real(detail.value)) }
          }
        }
      }
    }
  }

  private static func text(_ value: Double) -> String {
    String(format: value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value)
  }

  private func line(
    _ name: String, _ measured: String, _ must: String, _ goal: String, _ verdict: String,
    _ details: String
  ) -> String {
    pad(name, 44) + pad(measured, 11) + pad(must, 9) + pad(goal, 9) + pad(verdict, 9) + details
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
