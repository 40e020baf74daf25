/// An option of a command, with everything that parsing, `--help` and the completions need.
package struct CommandOption: Hashable, Sendable {
  /// The long name, without its dashes.
  package let long: String
  package let short: Character?
  /// The name of its argument in the help; `nil` for an option without one.
  package let argument: String?
  package let kind: ValueKind
  /// Whether the command requires it.
  package let isRequired: Bool
  /// Whether each occurrence counts; otherwise, only the last one does.
  package let isRepeatable: Bool
  /// The help, in one line without a full stop.
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

  /// The option as you write it, e.g. `--container DIR`.
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

  /// The options that every command takes.
  static let common = [quiet, help]
}
