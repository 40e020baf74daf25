/// A list of names as an argument, separated by commas.
///
/// A name that contains a comma is put in double quotes, as in SQL, with quotes inside it doubled: `a,"b,c"`.
/// Quotes count only where they enclose a whole name.
package enum ListText {
  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")

  /// Returns the names in a list.
  package static func names(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var names: [String] = []
    var start = 0
    while start <= bytes.count {
      if let (name, end) = quoted(bytes, from: start) {
        names.append(name)
        start = end + 1
        continue
      }
      let end = bytes[start...].firstIndex(of: comma) ?? bytes.count
      names.append(String(decoding: bytes[start..<end], as: UTF8.self))
      start = end + 1
    }
    return names
  }

  /// Returns the list of names.
  package static func text(_ names: [String]) -> String {
    names.map { name in
      let isPlain = !name.utf8.contains(comma) && !name.hasPrefix("\"")
      return isPlain
        ? name
        : "\""
          + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
          + "\""
    }.joined(separator: ",")
  }

  /// Returns the quoted name that starts at `start`, and its end; `nil` if there is none.
  private static func quoted(_ bytes: [UInt8], from start: Int) -> (name: String, end: Int)? {
    guard start < bytes.count, bytes[start] == quote else { return nil }
    var name: [UInt8] = []
    var index = start + 1
    while index < bytes.count {
      if bytes[index] != quote {
        name.append(bytes[index])
        index += 1
      } else if index + 1 < bytes.count, bytes[index + 1] == quote {
        name.append(quote)
        index += 2
      } else {
        let end = index + 1
        guard end == bytes.count || bytes[end] == comma else { return nil }
        return (String(decoding: name, as: UTF8.self), end)
      }
    }
    return nil
  }
}
