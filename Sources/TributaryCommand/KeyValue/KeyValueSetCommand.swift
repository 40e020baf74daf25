import TributaryKeyValue

/// `tributary kv set`: sets one value.
struct KeyValueSetCommand: Command {
  private static let words = ["string", "integer", "real", "bool", "date", "data", "json"]

  private static let type = CommandOption(
    "type", argument: "TYPE", kind: .choice(words),
    help: "string (default), integer, real, bool, date, data or json")

  static let syntax = Syntax(
    "kv set", summary: "set the value of a key",
    operands: [.store, KeyValueArguments.key, Operand("VALUE", .text)],
    options: [ContainerArguments.entitlements, type],
    details: """
      A bool is true or false; yes, no, 1 and 0 are accepted too. A date is 2026-11-26
      or 2026-11-26T10:11:12Z. Data is in hexadecimal. With json, an array or object
      becomes an array or dictionary, in which {"blob": "<hex>"} is data and {"date":
      "..."} a date.

      A value that exceeds the limits of the STORE is refused: the exit status is 1,
      and nothing has changed. A value that begins with - comes after --: kv set STORE
      KEY -- -5
      """)

  private let store: String
  private let entitlements: String?
  private let key: String
  private let value: PropertyListValue

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments.operands[0]
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    key = arguments.operands[1]
    let text = arguments.operands[2]
    let word = arguments[Self.type] ?? "string"
    guard Self.words.contains(word) else {
      throw UsageError("--type is one of \(Self.words.joined(separator: ", ")), not \(word)")
    }
    if word == "json" {
      do {
        value = try PropertyListJSONReader.value(text)
      } catch {
        throw UsageError(
          "VALUE is not JSON that can be stored: \(error.message), at byte \(error.offset)")
      }
    } else {
      guard let kind = PropertyListValue.Kind(rawValue: word),
        let value = PropertyListValue(text, as: kind)
      else { throw UsageError("VALUE is not of the type \(word): '\(text.prefix(100))'") }
      self.value = value
    }
  }

  func run(to output: Output) throws -> ExitStatus {
    let engine = try KeyValueArguments.open(store, entitlements)
    try engine.set(value, for: key)
    try engine.close()
    output.hasDone("\(key) is set")
    return .done
  }
}
