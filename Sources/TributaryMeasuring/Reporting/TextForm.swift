/// Prints a readable table.
struct TextForm: ReportForm {
  var head: String? { line(["figure", "measured", "must", "goal", "verdict", ""]) }

  func line(_ entry: Entry) -> String? {
    let budget = entry.figure.budget
    let others = (entry.measurement?.others ?? []).map {
      "\($0.name)\($0.ratio == nil ? ":" : "") \($0.text)"
    }
    let beside = ([entry.remarks] + others).filter { !$0.isEmpty }.joined(separator: ", ")
    return line([
      entry.figure.name, entry.measured, entry.limit(budget.must), entry.limit(budget.goal),
      entry.verdict, beside,
    ])
  }

  func end(_ entries: [Entry], _ machine: String) -> String? { "\n" + machine }

  private static let widths = [60, 11, 9, 9, 14, 0]

  private func line(_ cells: [String]) -> String {
    zip(cells, Self.widths).map { cell, width in
      width == 0 ? cell : cell + String(repeating: " ", count: max(1, width - cell.count))
    }.joined()
  }
}
