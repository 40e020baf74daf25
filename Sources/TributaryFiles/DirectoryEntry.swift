/// One name in a directory.
package struct DirectoryEntry: Hashable, Sendable {
  /// The name. Bytes that are not UTF-8 are shown as replacement characters, and then no path leads
  /// to the file.
  package var name: String

  /// Whether `name` is exactly the bytes on disk.
  package var isExact: Bool

  /// The kind of file; a symbolic link is not followed.
  package var kind: FileKind

  /// Makes an entry.
  package init(name: String, isExact: Bool = true, kind: FileKind) {
    self.name = name
    self.isExact = isExact
    self.kind = kind
  }
}
