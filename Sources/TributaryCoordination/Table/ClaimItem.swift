/// One item of a claim.
package struct ClaimItem: Hashable, Sendable {
  /// The absolute path of the item, as `ItemPath` gives it.
  package var path: String
  package var access: ItemAccess

  package init(path: String, access: ItemAccess) {
    self.path = path
    self.access = access
  }

  /// Whether the two must not happen at once: one of them writes, and they are for the same item, or for an
  /// item below one that the other writes.
  package func conflicts(with other: ClaimItem) -> Bool {
    if access.isWriting && other.path.isAtOrBelow(path) { return true }
    return other.access.isWriting && path.isAtOrBelow(other.path)
  }
}

extension String {
  /// Whether this path is the other path, or is below it.
  package func isAtOrBelow(_ directory: String) -> Bool {
    let (path, above) = (utf8, directory.utf8)
    guard path.count >= above.count, path.starts(with: above) else { return false }
    return path.count == above.count || above.last == UInt8(ascii: "/")
      || path[path.index(path.startIndex, offsetBy: above.count)] == UInt8(ascii: "/")
  }

  /// Whether this path is below a directory.
  package func isBelow(_ directory: String) -> Bool {
    utf8.count > directory.utf8.count && isAtOrBelow(directory)
  }

  /// This path after its item, or one above it, has moved.
  package func moved(from old: String, to new: String) -> String? {
    guard isAtOrBelow(old) else { return nil }
    return new + String(Substring(utf8.dropFirst(old.utf8.count)))
  }
}
