import TributaryKeyValue

/// `tributary kv delete`: removes one value.
struct KeyValueDeleteCommand: Command {
  static let syntax = Syntax(
    "kv delete", summary: "remove a key and its value",
    operands: [.store, KeyValueArguments.key],
    options: [ContainerArguments.entitlements],
    details: """
      If there is no such key, the command succeeds and does nothing.
      """)

  private let store: String
  private let entitlements: String?
  private let key: String

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments.operands[0]
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    key = arguments.operands[1]
  }

  func run(to output: Output) throws -> ExitStatus {
    let engine = try KeyValueArguments.open(store, entitlements)
    if try !engine.remove(key) { output.note("\(store): there was no key '\(key)'") }
    try engine.close()
    output.hasDone("\(key) is removed")
    return .done
  }
}
