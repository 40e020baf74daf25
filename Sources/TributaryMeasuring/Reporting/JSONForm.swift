import TributaryCore

/// Prints one object, with every round.
struct JSONForm: ReportForm {
  var head: String? { nil }

  func line(_ entry: Entry) -> String? { nil }

  func end(_ entries: [Entry], _ machine: String) -> String? {
    var json = JSONWriter()
    json.object { json in
      json.member("machine", machine)
      json.member("figures") { json in
        json.array { json in
          for entry in entries {
            if let measurement = entry.measurement { write(entry.figure, measurement, &json) }
          }
        }
      }
      json.object("failures") { json in
        for entry in entries {
          if case .failed(let reason) = entry.result { json.member(entry.figure.name, reason) }
        }
      }
      json.object("absent") { json in
        for entry in entries {
          if case .absent(let reason) = entry.result { json.member(entry.figure.name, reason) }
        }
      }
    }
    return json.text
  }

  private func write(_ figure: Figure, _ measurement: Measurement, _ json: inout JSONWriter) {
    json.object { json in
      json.member("name", figure.name)
      json.member("unit", figure.unit.rawValue)
      json.member("measured") { $0.value(.real(measurement.value)) }
      json.member("must") { $0.value(figure.budget.must.map { .real($0) } ?? .null) }
      json.member("goal") { $0.value(figure.budget.goal.map { .real($0) } ?? .null) }
      json.member("better", figure.budget.direction == .atMost ? "smaller" : "larger")
      json.member("verdict", figure.budget.verdict(measurement.value).rawValue)
      json.member("rounds", each: measurement.rounds) { json, round in json.value(.real(round)) }
      json.object("details") { json in
        for detail in measurement.details {
          json.member(detail.name) { $0.value(.real(detail.value)) }
        }
      }
      json.member("others", each: measurement.others) { json, other in write(other, &json) }
      if !measurement.note.isEmpty { json.member("note", measurement.note) }
    }
  }

  private func write(_ other: Measurement.Other, _ json: inout JSONWriter) {
    json.object { json in
      json.member("name", other.name)
      json.member("measured") { $0.value(other.ratio.map { .real($0) } ?? .null) }
      json.member("remark", other.remark)
    }
  }
}
