/// Prints tables for a page of the documentation: the figures, with those of other software beside
/// them.
struct MarkdownForm: ReportForm {
  var head: String? {
    row(["figure", "measured", "must", "goal", "verdict", "beside it"]) + "\n" + rule(6)
  }

  func line(_ entry: Entry) -> String? {
    let budget = entry.figure.budget
    return row([
      entry.figure.name, entry.measured, entry.limit(budget.must), entry.limit(budget.goal),
      entry.verdict, entry.remarks,
    ])
  }

  func end(_ entries: [Entry], _ machine: String) -> String? {
    "\n\(machine)." + (others(entries).map { "\n\n" + $0 } ?? "")
  }

  private func others(_ entries: [Entry]) -> String? {
    var names: [String] = []
    for other in entries.flatMap({ $0.measurement?.others ?? [] }) where !names.contains(other.name)
    {
      names.append(other.name)
    }
    guard !names.isEmpty else { return nil }
    var lines = [row(["figure", "store"] + names), rule(names.count + 2)]
    for entry in entries {
      guard let measurement = entry.measurement, !measurement.others.isEmpty else { continue }
      let cells = names.map { name in
        measurement.others.first { $0.name == name }?.text ?? "–"
      }
      lines.append(row([entry.figure.name, entry.measured] + cells))
    }
    return lines.joined(separator: "\n")
  }

  private func rule(_ count: Int) -> String {
    "|" + String(repeating: "---|", count: count)
  }

  private func row(_ cells: [String]) -> String {
    // A bar would end the cell, and a line break the table.
    let escaped = cells.map {
      $0.split(whereSeparator: \.isNewline).joined(separator: " ").replacing("|", with: "\\|")
    }
    return "| " + escaped.joined(separator: " | ") + " |"
  }
}
