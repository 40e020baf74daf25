/// A word of the command line that is not an option.
package struct Operand: Hashable, Sendable {
  /// Its name in the help.
  let name: String
  let kind: ValueKind
  let isOptional: Bool
  /// Whether it takes all the remaining words, at least one unless it is optional.
  let isRepeated: Bool

  init(_ name: String, _ kind: ValueKind, isOptional: Bool = false, isRepeated: Bool = false) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
    self.isRepeated = isRepeated
  }

  /// The operand as it appears in a usage line, e.g. `[SQL]` or `STORE...`.
  var spelling: String {
    let word = name + (isRepeated ? "..." : "")
    return isOptional ? "[\(word)]" : word
  }

  static let store = Operand("STORE", .file)
  static let storeOrContainer = Operand("STORE|CONTAINER", .file)
  static let conflict = Operand("ID", .text)
  static let peer = Operand("PEER", .text)
  static let stores = Operand("STORE", .file, isRepeated: true)
  static let paths = Operand("PATH", .file, isRepeated: true)
}
