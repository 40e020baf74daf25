import TributaryCore

/// The limits of counts, in a table in a file, so that each change is visible.
///
/// The file is a JSON object with the member `limits`, an array of objects with `figure`, `limit`
/// and `why`.
package struct CountLimits {
  package struct Limit {
    package var figure: String
    /// The count when the limit was set.
    package var most: Double
    /// What the limit means.
    package var reason: String

    /// Whether a count exceeds the limit by more than the variation between places.
    ///
    /// Each directory above the files adds a few calls and blocks for each file that is opened, and the
    /// timing of two threads adds a few blocks for each batch: up to 0.2 % in twelve directories. A row or a
    /// commit that takes one more of anything still exceeds its limit.
    package func isExceeded(by count: Double) -> Bool { count > most * 1.01 + 0.005 }
  }

  package private(set) var limits: [Limit] = []

  /// Reads the file.
  ///
  /// - Throws: `BenchmarkError` for an invalid file.
  package init(_ text: [UInt8]) throws {
    guard case .object(let members)? = JSONValue(text),
      case .array(let entries)? = members.first(where: { $0.name == "limits" })?.value
    else { throw BenchmarkError("the limits are no JSON object with an array named limits") }
    for entry in entries {
      guard case .object(let members) = entry, let limit = Self.limit(members) else {
        throw BenchmarkError("number \(limits.count + 1) wants a figure, a limit and a why")
      }
      guard self[limit.figure] == nil else {
        throw BenchmarkError("there are two limits for \(limit.figure)")
      }
      limits.append(limit)
    }
  }

  private static func limit(_ members: [(name: String, value: JSONValue)]) -> Limit? {
    var figure: String?
    var most: Double?
    var reason: String?
    for member in members {
      switch (member.name, member.value) {
      case ("figure", .value(.text(let text))): figure = String(decoding: text, as: UTF8.self)
      case ("why", .value(.text(let text))): reason = String(decoding: text, as: UTF8.self)
      case ("limit", .value(.integer(let number))): most = Double(number)
      case ("limit", .value(.real(let number))): most = number
      default: return nil
      }
    }
    guard let figure, let most, let reason, !reason.isEmpty else { return nil }
    return Limit(figure: figure, most: most, reason: reason)
  }

  package subscript(figure: String) -> Limit? { limits.first { $0.figure == figure } }

  /// Returns what is wrong with counts, one sentence each: counts that exceed their limits, and counts or
  /// limits without a counterpart.
  package func findings(_ figures: [CountedFigure]) -> [String] {
    var findings: [String] = []
    for figure in figures where figure.isHeld {
      guard let limit = self[figure.name] else {
        findings.append("\(figure.name): \(figure.value.countText), and there is no limit for it")
        continue
      }
      if limit.isExceeded(by: figure.value) {
        findings.append(
          "\(figure.name): counted \(figure.value.countText), its limit is "
            + "\(limit.most.countText). \(limit.reason)")
      }
    }
    for limit in limits where !figures.contains(where: { $0.name == limit.figure }) {
      findings.append("\(limit.figure): has a limit and is not counted")
    }
    return findings
  }
}
