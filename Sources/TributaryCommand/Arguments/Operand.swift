/// A word of the command line that is no option.
package struct Operand: Hashable, Sendable {
  /// What it is called in the help.
  let name: String
  let kind: ValueKind
  let isOptional: Bool
  /// Takes all the words that are left, at least one unless it is optional.
  let isRepeated: Bool

  init(_ name: String, _ kind: ValueKind, isOptional: Bool = false, isRepeated: Bool = false) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
    self.isRepeated = isRepeated
  }

  /// As it stands in a usage line: `[SQL]`, `STORE...`.
  var spelling: String {
    let word = name + (isRepeated ? "..." : "")
    return isOptional ? "[\(word)]" : word
  }

  static let store = Operand("STORE", .file)
  static let storeOrContainer = Operand("STORE|CONTAINER", .file)
  static let conflict = Operand("ID", .text)
  static let stores = Operand("STORE", .file, isRepeated: true)
  static let paths = Operand("PATH", .file, isRepeated: true)
}
