import TributaryCore

extension Migration {
  /// What the lines of a migration tell Tributary.
  struct Directives {
    static let prefix = "-- tributary:"

    var names: [NameChange] = []
    var rows = Rows.once

    /// Reads the directives in a text.
    ///
    /// - Parameter unknown: makes the error for a directive that Tributary does not know.
    init(_ text: String, unknown: (Refusal) -> StoreError) throws(StoreError) {
      for line in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
        guard let said = Self.directive(Substring(line)) else { continue }
        let words = said.split(whereSeparator: \.isWhitespace)
        if let change = NameChange(String(said)) {
          names.append(change)
        } else if words == ["per", "device"] || words == ["perDevice"] || words == ["per-device"] {
          rows = .perDevice
        } else if words != ["once"] {
          throw unknown(
            Refusal(
              "the line `\(Self.prefix) \(said)` says nothing that Tributary knows",
              remedy: "write `rename … to …`, `drop …`, `once` or `per device`"))
        }
      }
    }

    /// Returns the part of a line after the prefix, which may be written with or without spaces; `nil` if the
    /// line is not a directive.
    private static func directive(_ line: Substring) -> Substring? {
      var rest = line.drop(while: \.isWhitespace)
      for part in ["--", "tributary", ":"] {
        guard rest.utf8.starts(with: part.utf8) else { return nil }
        rest = rest.dropFirst(part.count).drop(while: \.isWhitespace)
      }
      while rest.last?.isWhitespace == true { rest.removeLast() }
      return rest
    }
  }

  /// Returns the migration's directives.
  ///
  /// - Throws: `StoreError` with the code `migration` naming the migration.
  func directives(_ path: String) throws(StoreError) -> Directives {
    try Directives(text) { refusal in
      StoreError(
        .migration, "migration \(name): \(refusal.message)", path: path, remedy: refusal.remedy)
    }
  }
}
