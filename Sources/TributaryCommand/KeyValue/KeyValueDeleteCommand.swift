import TributaryKeyValue

/// `tributary kv delete`: removes one value.
struct KeyValueDeleteCommand: Command {
  static let syntax = Syntax(
    "kv delete", summary: "remove a key and its value",
    operands: [.store, KeyValueArguments.key],
    details: """
      A key that is not there stays so: that is no failure.
      """)

  private let store: String
  private let key: String

  init(_ arguments: Arguments) {
    store = arguments.operands[0]
    key = arguments.operands[1]
  }

  func run(to output: Output) throws -> ExitStatus {
    let engine = try KeyValueArguments.open(store)
    if try !engine.remove(key) { output.note("\(store): there was no key '\(key)'") }
    try engine.close()
    output.hasDone("\(key) is removed")
    return .done
  }
}
