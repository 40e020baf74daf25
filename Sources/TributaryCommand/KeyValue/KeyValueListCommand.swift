import TributaryKeyValue

/// `tributary kv list`: prints all keys with their values.
struct KeyValueListCommand: Command {
  static let syntax = Syntax(
    "kv list", summary: "list the keys with their types, sizes and values",
    operands: [.store], options: [ContainerArguments.entitlements, .json])

  private let store: String
  private let entitlements: String?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments.operands[0]
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    let engine = try KeyValueArguments.open(store, entitlements)
    let values = try engine.values().map { KeyValueOutput(key: $0.key, value: $0.value) }
    if printsJSON {
      for value in values { try output.line(value.json) }
    } else {
      var table = TextTable(
        ["KEY", "TYPE", "BYTES", "VALUE"], alignments: [.left, .left, .right], to: output)
      for value in values {
        try table.append(
          [
            Escaping.escaped(value.key), Escaping.escaped(value.value.type),
            "\(value.value.byteCount)", value.line,
          ])
      }
      try table.finish()
    }
    let usage = try engine.usage()
    if usage.exceeds(engine.profile) {
      output.warn(
        "\(store): devices have set values at the same time, which together exceed the limits of the profile "
          + "\(engine.profile.rawValue): until some are removed, no set that takes more room is accepted"
      )
    }
    return .done
  }
}
