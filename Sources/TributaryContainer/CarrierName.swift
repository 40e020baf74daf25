import TributaryFiles

/// Recognises the names of files that carriers and operating systems leave behind.
package enum CarrierName {
  /// Returns the reason why a file with this name exists.
  package static func reason(for name: String) -> IgnoredFile.Reason {
    let lower = name.lowercased()
    func begins(_ prefixes: String...) -> Bool { prefixes.contains { lower.hasPrefix($0) } }
    func ends(_ suffixes: String...) -> Bool { suffixes.contains { lower.hasSuffix($0) } }

    if begins(".nfs", ".fuse_hidden", ".cifs", ".smbdelete") { return .removedWhileOpen }
    if ends(".icloud", ".nextcloud", ".owncloud", ".cloud", ".placeholder") { return .placeholder }
    if systemNames.contains(lower) || begins("._", ".stversions", ".stfolder", ".owncloudsync") {
      return .system
    }
    if begins(TemporaryName.prefix, ".syncthing.", "~syncthing~", ".unison.", ".goutputstream-")
      || begins(".~", "~$", ".rsync", ".dat.", ".tmp", ".dropbox.cache")
      || ends(".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".download", ".swp")
      || ends(".!sync", ".bts", ".upload", ".lock", "~")
    {
      return .temporary
    }
    if conflictMarks.contains(where: lower.contains) { return .conflictCopy }
    // rsync and others: a dot, the name, a dot, random letters.
    if begins("."), lower.contains(".lz4.") || lower.contains("peer.json.") { return .temporary }
    if isNumberedCopy(lower) { return .conflictCopy }
    return .unknown
  }

  private static let systemNames: Set<String> = [
    ".ds_store", ".localized", ".directory", ".fseventsd", ".spotlight-v100", ".trashes", ".trash",
    ".temporaryitems", ".glusterfs", ".snap", ".snapshot", ".stignore", "desktop.ini", "thumbs.db",
    "lost+found", "@eadir", "$recycle.bin", "system volume information", ".sync", ".git",
    ".dropbox", ".dropbox.attr", ".nextcloudsync.log",
  ]

  private static let conflictMarks = [
    ".sync-conflict-", "conflicted copy", "case conflict", "unicode encoding conflict",
    "whitespace conflict", "sfconflict", "(copy: conflict", "conflict with", "_conflict-",
    ".conflict", "-conflict", "selective sync conflict", "..path1", "..path2",
  ]

  /// Whether a name is like `peer (1).json` or `peer 2.json`, as the drives of Google, Apple and
  /// Microsoft make them.
  private static func isNumberedCopy(_ lower: String) -> Bool {
    guard let dot = lower.lastIndex(of: ".") else { return false }
    let stem = lower[..<dot]
    let words = stem.split(separator: " ")
    guard words.count > 1, let last = words.last else { return false }
    let number = last.hasPrefix("(") && last.hasSuffix(")") ? last.dropFirst().dropLast() : last
    return !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
