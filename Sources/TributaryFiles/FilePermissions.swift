/// The owner of a file, and its permissions.
package struct FilePermissions: Hashable, Sendable {
  /// The number of the user who owns the file.
  package var owner: UInt32
  /// The number of the file's group.
  package var group: UInt32
  /// The lower twelve bits of the mode.
  package var mode: UInt16
  /// The number of the user that this process runs as.
  package var user: UInt32

  /// Makes permissions.
  package init(owner: UInt32, group: UInt32, mode: UInt16, user: UInt32) {
    self.owner = owner
    self.group = group
    self.mode = mode
    self.user = user
  }
}

extension FilePermissions: CustomStringConvertible {
  /// For example: `this process runs as user 1000; it belongs to user 0 and group 0, mode 0700`.
  package var description: String {
    let octal = String(mode, radix: 8)
    let digits = String(repeating: "0", count: max(0, 4 - octal.utf8.count)) + octal
    return
      "this process runs as user \(user); it belongs to user \(owner) and group \(group), mode \(digits)"
  }
}
