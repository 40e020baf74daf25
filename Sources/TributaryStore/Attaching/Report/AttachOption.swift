/// A possible option of `tributary attach`, in the words of the command line.
package struct AttachOption: Hashable, Sendable {
  /// The name without its dashes, e.g. `except`.
  package var name: String
  /// The value of the option.
  package var argument: String

  package init(_ name: String, _ argument: String) {
    self.name = name
    self.argument = argument
  }

  /// Returns the option to leave a table out.
  package static func except(_ table: String) -> AttachOption { AttachOption("except", table) }
}

extension AttachOption: CustomStringConvertible {
  /// The option as it can be typed into a shell.
  package var description: String {
    // This option takes a list of names.
    let word = name == "except" ? ListText.text([argument]) : argument
    return "--\(name) \(ShellWord.quoted(word))"
  }
}
