import TributaryKeyValue

/// `tributary kv get`: prints one value.
struct KeyValueGetCommand: Command {
  static let syntax = Syntax(
    "kv get", summary: "print the value of a key",
    operands: [.store, KeyValueArguments.key], options: [ContainerArguments.entitlements, .json],
    details: """
      Prints strings as they are, bools as true or false, dates in UTC such as
      2026-11-26T10:11:12.000Z, data in hexadecimal, arrays and dictionaries as JSON.
      If there is no such key, the exit status is 1.
      """)

  private let store: String
  private let entitlements: String?
  private let key: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments.operands[0]
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    key = arguments.operands[1]
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let engine = try KeyValueArguments.open(store, entitlements)
    guard let value = try engine.value(for: key) else {
      throw TextError(
        "\(store): there is no key '\(key)'; `tributary kv list` prints those that there are")
    }
    let readable = try KeyValueArguments.readable(value, of: key, in: store)
    try output.line(
      printsJSON ? KeyValueOutput(key: key, value: value).json : output.shown(readable.text))
    return .done
  }
}
