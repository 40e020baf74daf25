/// An option of a command: what parsing, `--help` and the completions know of it.
package struct CommandOption: Hashable, Sendable {
  /// Without its dashes.
  package let long: String
  package let short: Character?
  /// What its argument is called in the help; `nil` for an option without one.
  package let argument: String?
  package let kind: ValueKind
  /// The command needs it.
  package let isRequired: Bool
  /// Each occurrence counts; otherwise the last one does.
  package let isRepeatable: Bool
  /// One line, without a full stop.
  package let help: String

  package init(
    _ long: String, short: Character? = nil, argument: String? = nil, kind: ValueKind = .text,
    isRequired: Bool = false, isRepeatable: Bool = false, help: String
  ) {
    self.long = long
    self.short = short
    self.argument = argument
    self.kind = kind
    self.isRequired = isRequired
    self.isRepeatable = isRepeatable
    self.help = help
  }

  /// As it is written: `--container DIR`.
  var spelling: String { "--\(long)" + (argument.map { " \($0)" } ?? "") }

  package static let help = CommandOption(
    "help", short: "h", help: "print this help and do nothing else")
  package static let quiet = CommandOption(
    "quiet", short: "q", help: "no progress and no confirmation, only results and errors")
  static let version = CommandOption("version", help: "print the version and do nothing else")
  package static let json = CommandOption("json", help: "one JSON object a line")

  package static let loadExtension = CommandOption(
    "load-extension", argument: "FILE", kind: .file, isRepeatable: true,
    help: "load functions, collations, modules from an SQLite extension, on this device")

  /// What every command takes.
  static let common = [quiet, help]
}
