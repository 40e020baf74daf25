/// Checks the keys of entitlements.
struct EntitlementsReader {
  let path: String
  let dictionary: [String: PropertyListValue]

  /// The keys for containers; the first one present counts.
  static let containerKeys = [
    "com.apple.developer.ubiquity-container-identifiers",
    "com.apple.developer.icloud-container-identifiers",
  ]
  static let keyValueKey = "com.apple.developer.ubiquity-kvstore-identifier"
  static let applicationKey = "application-identifier"
  static let teamKey = "com.apple.developer.team-identifier"

  func containers() throws(DocumentError) -> [IdentifierPattern] {
    // Each key present is checked, so that a mistake in one does not appear only after the other is removed.
    var first: [IdentifierPattern]?
    for key in Self.containerKeys {
      guard let value = dictionary[key] else { continue }
      let patterns = try containers(key, value)
      first = first ?? patterns
    }
    return first ?? []
  }

  private func containers(
    _ key: String, _ value: PropertyListValue
  ) throws(DocumentError) -> [IdentifierPattern] {
    guard case .array(let elements) = value else {
      throw refusal(
        "\(key) is \(value.kind), not an array", "write an array of identifiers, also for one")
    }
    var patterns: [IdentifierPattern] = []
    for (index, element) in elements.enumerated() {
      let place = "element \(index + 1) of \(key)"
      guard case .string(let text) = element else {
        throw refusal(
          "\(place) is \(element.kind), not a string", "write each identifier as a string")
      }
      let pattern = try checked(place) { () throws(DocumentError) in
        try IdentifierPattern(text)
      }
      if case .beginning = pattern, index == 0 {
        throw refusal(
          "\(place) is \(text), with a wildcard: the first one is the main container",
          "write an identifier without a wildcard first")
      }
      let isRepeated = patterns.contains { $0.text.lowercased() == text.lowercased() }
      if isRepeated {
        throw refusal("\(place) repeats \(text)", "write each identifier once, in one spelling")
      }
      if case .identifier(let identifier) = pattern { try checkTeam(identifier, place) }
      patterns.append(pattern)
    }
    return patterns
  }

  func keyValueStore() throws(DocumentError) -> ContainerIdentifier? {
    let key = Self.keyValueKey
    guard let value = dictionary[key] else { return nil }
    guard case .string(let text) = value else {
      throw refusal("\(key) is \(value.kind), not a string", "write one identifier")
    }
    if text.contains("*") {
      throw refusal("\(key) is \(text), with a wildcard", "write one identifier without a wildcard")
    }
    let identifier = try checked(key) { () throws(DocumentError) in try ContainerIdentifier(text) }
    try checkTeam(identifier, key)
    return identifier
  }

  func application() throws(DocumentError) -> String? {
    guard let value = dictionary[Self.applicationKey] else { return nil }
    guard case .string(let text) = value, !text.isEmpty else {
      throw refusal(
        "\(Self.applicationKey) is \(value.kind == "a string" ? "empty" : value.kind), not a name",
        "write one string, or leave it out")
    }
    return text
  }

  private func checkTeam(_ identifier: ContainerIdentifier, _ place: String) throws(DocumentError) {
    guard case .string(let team)? = dictionary[Self.teamKey], let own = identifier.team, own != team
    else { return }
    throw refusal(
      "\(place) is \(identifier), of another team than \(team), which \(Self.teamKey) names",
      "use the identifiers of one team")
  }

  private func checked<Result>(
    _ place: String, _ body: () throws(DocumentError) -> Result
  ) throws(DocumentError) -> Result {
    do {
      return try body()
    } catch {
      throw refusal("\(place): \(error.message)", error.remedy)
    }
  }

  private func refusal(_ message: String, _ remedy: String) -> DocumentError {
    DocumentError(.entitlements, message, path: path, remedy: remedy)
  }
}
