extension String {
  /// This directory path with one more component.
  package func appending(component: String) -> String {
    guard !isEmpty else { return component }
    var path = ""
    path.reserveCapacity(utf8.count + 1 + component.utf8.count)
    path += self
    if utf8.last != UInt8(ascii: "/") { path += "/" }
    path += component
    return path
  }

  /// The path of the directory that contains this entry: `.` for a bare name, `/` for the root.
  package var parentDirectory: String {
    let bytes = trimmedPath
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
      return bytes.isEmpty ? "/" : "."
    }
    var end = slash
    while end > bytes.startIndex, bytes[bytes.index(before: end)] == UInt8(ascii: "/") {
      end = bytes.index(before: end)
    }
    return end == bytes.startIndex ? "/" : String(Substring(bytes[..<end]))
  }

  /// The last component of this path; empty for the root.
  package var lastPathComponent: String {
    let bytes = trimmedPath
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    return String(Substring(bytes[(slash.map { bytes.index(after: $0) } ?? bytes.startIndex)...]))
  }

  private var trimmedPath: Substring.UTF8View {
    var bytes = self[...].utf8
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return bytes
  }
}
