import TributaryKeyValue

/// `tributary kv attach`: makes a key-value store for a container.
struct KeyValueAttachCommand: Command {
  private static let container = CommandOption(
    "container", argument: "DIR", kind: .directory, isRequired: true, help: "the shared directory")
  private static let identifier = CommandOption(
    "id", argument: "IDENTIFIER", isRequired: true,
    help: "all stores with the same one share their values")
  private static let profile = CommandOption(
    "profile", argument: "PROFILE",
    kind: .choice(KeyValueProfile.allCases.map(\.rawValue)),
    help: "the limits: classic, compact or standard; by default those that others use")
  private static let peerName = CommandOption(
    "peer-name", argument: "TEXT", help: "a readable name of this device")

  static let syntax = Syntax(
    "kv attach", summary: "make a store for small settings that devices share",
    operands: [.store],
    options: [container, identifier, profile, peerName, ContainerArguments.entitlements, .json],
    details: """
      A STORE that is missing is made, with the values that other devices have set.
      One that was detached brings its own values along; those of others win.
      The first device chooses the limits, and the others follow:

        standard  1 MB in all and for each value; 1,024 keys of 64 bytes (default)
        compact   64 KB in all, 4 KB for each value
        classic   64 KB in all and for each value

      Keys do not count among the bytes of values. `tributary sync STORE` exchanges
      it, and `sql`, `status` and all other commands take it as any store.
      """)

  private let place: KeyValuePlace
  private let entitlements: String?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    var profile: KeyValueProfile?
    if let word = arguments[Self.profile] {
      guard let known = KeyValueProfile(rawValue: word) else {
        throw UsageError("--profile is classic, compact or standard, not \(word)")
      }
      profile = known
    }
    place = KeyValuePlace(
      path: arguments.operands[0], container: try arguments.nonempty(Self.container) ?? "",
      identifier: arguments.required(Self.identifier), profile: profile,
      peerName: arguments[Self.peerName])
    entitlements = try arguments.nonempty(ContainerArguments.entitlements)
    printsJSON = arguments.has(.json)
  }

  func run(to output: Output) throws -> ExitStatus {
    try ContainerArguments.granted(entitlements)?.checkKeyValueStore(place.identifier)
    let report = try place.attach()
    output.hasDone("\(place.path) is attached")
    let printer = AttachPrinter(store: place.path, report: report, command: nil)
    if printsJSON {
      try output.line(printer.json)
    } else {
      try printer.printText(to: output)
      try output.confirm(
        output.shown("\(place.path): its limits are those of \(place.presentProfile().rawValue)"))
    }
    printer.printProblems(to: output)
    return report.damaged.isEmpty ? .done : .damage
  }
}
