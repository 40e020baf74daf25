internal import TributaryContainer
internal import TributaryFiles

/// Checks that every carrier and every file system preserves the names of files.
enum NameCheck {
  /// Checks one component of a path.
  ///
  /// - Throws: `DocumentError` with `invalidName`, which names the broken rule.
  static func check(_ name: String) throws(DocumentError) {
    if let violation = NameRule.violation(by: name) {
      throw DocumentError(
        .invalidName, "the name \(name.debugDescription) \(violation.rule)",
        remedy: violation.remedy)
    }
    switch CarrierName.reason(for: name) {
    case .temporary, .system, .placeholder, .removedWhileOpen:
      throw DocumentError(
        .invalidName,
        "the name \(name.debugDescription) is one that carriers and systems give to files of their "
          + "own, and do not carry",
        remedy: "choose another name")
    default: break
    }
  }

  /// Checks the name of a package.
  ///
  /// - Throws: `DocumentError` with `invalidName`, which names the broken rule.
  static func checkPackage(_ name: String) throws(DocumentError) {
    try check(name)
    let isOfMetadata =
      name.lowercased() == DocumentMetadata.fileName.lowercased() || Documents.isCopy(name)
    if isOfMetadata {
      throw DocumentError(
        .invalidName,
        "the name \(name.debugDescription) is that of the file by which documents are known",
        remedy: "choose another name")
    }
  }

  /// Checks that no other name in the same directory differs only in case or Unicode form.
  ///
  /// - Parameter former: a name that is to be replaced, and so may be similar.
  /// - Throws: `DocumentError` with `nameCollision`, which names both.
  static func collision(
    of path: String, replacing former: String? = nil, using files: some FileSystem
  ) throws(DocumentError) {
    let name = path.lastPathComponent
    let entries: [DirectoryEntry]
    do {
      entries = try files.list(path.parentDirectory)
    } catch {
      if error.isMissing { return }
      throw DocumentError(error)
    }
    for entry in entries where entry.name != former && NameRule.collide(entry.name, name) {
      throw DocumentError(
        .nameCollision,
        "the name \(name.debugDescription) is too similar to \(entry.name.debugDescription), which is "
          + "there already: some devices keep both in one file",
        path: path.parentDirectory.appending(component: entry.name),
        remedy: "use the name that is there, or one that differs in its letters")
    }
  }

  /// Returns the path with its components as they are spelled on disk, if they differ only in case or Unicode
  /// form. The path is unchanged if something is at exactly this path, if no name is similar, or if more than
  /// one is.
  static func spelled(_ path: String, using files: some FileSystem) -> String {
    // If a directory cannot be listed, the name stays as it was written.
    if path == "/" || (try? files.status(path)) ?? nil != nil { return path }
    let parent = spelled(path.parentDirectory, using: files)
    let name = path.lastPathComponent
    let entries = (try? files.list(parent)) ?? []
    let alike = entries.filter { $0.isExact && NameRule.collide($0.name, name) }
    return parent.appending(component: alike.count == 1 ? alike[0].name : name)
  }
}
