/// The rules for one component of a name that must survive every carrier and every file system.
package enum NameRule {
  /// The largest number of UTF-8 bytes, which leaves room for what carriers add to names.
  static let maximumByteCount = 100

  /// Returns the rule that a component breaks, and the remedy; `nil` if it follows all rules.
  package static func violation(by name: String) -> (rule: String, remedy: String)? {
    if name.isEmpty { return ("is empty", "give it at least one character") }
    if name.utf8.count > maximumByteCount {
      return ("has more than \(maximumByteCount) UTF-8 bytes", "choose a shorter name")
    }
    for scalar in name.unicodeScalars {
      if scalar == "/" || scalar == "\\" { return ("contains a path separator", "leave it out") }
      if "<>:\"|?*".unicodeScalars.contains(scalar) {
        return ("contains \(scalar), which Windows does not allow", "leave it out")
      }
      if scalar.properties.generalCategory == .control {
        return ("contains a control character", "leave it out")
      }
    }
    if name.utf8.first == UInt8(ascii: ".") {
      return ("begins with a dot, which hides it", "leave the dot out")
    }
    if name.utf8.last == UInt8(ascii: ".") || name.utf8.last == UInt8(ascii: " ") {
      return ("ends with a dot or a space, which Windows drops", "leave it out")
    }
    if isReserved(name) { return ("is reserved on Windows", "choose another name") }
    return nil
  }

  /// Whether Windows treats the name as a device, regardless of its extension.
  private static func isReserved(_ name: String) -> Bool {
    // Names are checked often, and most begin with a letter that none of the reserved names begins
    // with.
    guard let first = name.utf8.first, "cpanlCPANL".utf8.contains(first) else { return false }
    let stem = name.prefix { $0 != "." }.lowercased()
    let trimmed = String(stem.reversed().drop { $0 == " " }.reversed())
    if ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(trimmed) { return true }
    guard trimmed.count == 4, trimmed.hasPrefix("com") || trimmed.hasPrefix("lpt") else {
      return false
    }
    return "0123456789¹²³".contains(trimmed.last!)
  }

  /// Whether two names differ, but are the same to a carrier that ignores case or Unicode forms.
  package static func collide(_ a: String, _ b: String) -> Bool {
    // Swift compares strings by canonical equivalence: composed and decomposed letters are equal.
    !a.utf8.elementsEqual(b.utf8) && a.lowercased() == b.lowercased()
  }
}
