import Foundation

/// Checks JSON against a schema under `Schemas/`: the keywords that are used there, and no others.
struct JSONSchema {
  private let root: [String: Any]

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter name: without `.schema.json`.
  init(named name: String) throws {
    let schemas = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Schemas")
    let data = try Data(contentsOf: schemas.appending(path: "\(name).schema.json"))
    guard let root = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      throw Failure(description: "\(name) is no schema")
    }
    self.root = root
  }

  /// - Throws: `Failure` with the place of what does not fit.
  func check(_ line: String) throws {
    let value = try JSONSerialization.jsonObject(
      with: Data(line.utf8), options: [.fragmentsAllowed])
    try check(value, root, at: "$")
  }

  private static let annotations: Set<String> = [
    "$schema", "$id", "$defs", "title", "description",
  ]

  private func check(_ value: Any, _ schema: [String: Any], at place: String) throws {
    func fail(_ what: String) -> Failure { Failure(description: "\(place): \(what): \(value)") }
    for (keyword, rule) in schema where !Self.annotations.contains(keyword) {
      switch keyword {
      case "$ref":
        let name = (rule as? String ?? "").replacingOccurrences(of: "#/$defs/", with: "")
        guard let definitions = root["$defs"] as? [String: Any],
          let definition = definitions[name] as? [String: Any]
        else { throw fail("no definition \(name)") }
        try check(value, definition, at: place)
      case "type":
        let names = rule as? [String] ?? [rule as? String ?? ""]
        guard names.contains(where: { Self.isOf($0, value) }) else { throw fail("not \(names)") }
      case "required":
        let names = rule as? [String] ?? []
        guard let object = value as? [String: Any] else { continue }
        for name in names where object[name] == nil { throw fail("without \(name)") }
      case "properties", "additionalProperties":
        try checkMembers(value, schema, at: place)
      case "propertyNames":
        for name in (value as? [String: Any] ?? [:]).keys {
          try check(name, rule as? [String: Any] ?? [:], at: "\(place).\(name)")
        }
      case "items":
        for (index, item) in (value as? [Any] ?? []).enumerated() {
          try check(item, rule as? [String: Any] ?? [:], at: "\(place)[\(index)]")
        }
      case "minItems", "maxItems":
        guard let count = (value as? [Any])?.count, let limit = rule as? Int else { continue }
        guard keyword == "minItems" ? count >= limit : count <= limit else {
          throw fail("\(count) items")
        }
      case "minimum", "maximum":
        guard let number = value as? NSNumber, let limit = rule as? NSNumber else { continue }
        let order = number.compare(limit)
        guard keyword == "minimum" ? order != .orderedAscending : order != .orderedDescending else {
          throw fail("beyond \(limit)")
        }
      case "pattern":
        guard let text = value as? String else { continue }
        guard text.range(of: rule as? String ?? "", options: .regularExpression) != nil else {
          throw fail("not like \(rule)")
        }
      case "enum":
        guard let text = value as? String, (rule as? [String] ?? []).contains(text) else {
          throw fail("none of \(rule)")
        }
      case "const":
        guard "\(value)" == "\(rule)" else { throw fail("not \(rule)") }
      case "anyOf":
        let choices = rule as? [[String: Any]] ?? []
        guard choices.contains(where: { (try? check(value, $0, at: place)) != nil }) else {
          throw fail("none of the choices")
        }
      default: throw fail("the keyword \(keyword) is not known here")
      }
    }
  }

  private func checkMembers(_ value: Any, _ schema: [String: Any], at place: String) throws {
    guard let object = value as? [String: Any] else { return }
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    for (name, member) in object {
      if let rule = properties[name] {
        try check(member, rule, at: "\(place).\(name)")
      } else if let rule = schema["additionalProperties"] as? [String: Any] {
        try check(member, rule, at: "\(place).\(name)")
      } else if schema["additionalProperties"] as? Bool == false {
        throw Failure(description: "\(place): \(name) is not expected")
      }
    }
  }

  private static func isOf(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "null": value is NSNull
    case "boolean": (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
    case "number": value is NSNumber
    case "integer": (value as? NSNumber).map { !isReal($0) } ?? false
    default: false
    }
  }

  private static func isReal(_ number: NSNumber) -> Bool {
    ["f", "d"].contains(String(cString: number.objCType))
  }
}
