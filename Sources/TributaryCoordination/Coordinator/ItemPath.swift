internal import FoundationEssentials
internal import TributaryFiles

/// The path by which all processes know an item.
struct ItemPath: Hashable, Sendable {
  /// The file that makes a directory a package, which is one item.
  static let packageMark = "DocumentMetadata.plist"

  /// The absolute path of the item, without links. If the URL leads into a package, it is the path of the
  /// package. Components that do not exist yet keep their names.
  let item: String
  /// The rest of the path within the package; empty, or with a slash before it.
  let rest: String

  /// Finds the item that a URL names.
  ///
  /// - Throws: `CoordinationError` for a URL that names no file, or a directory that cannot be read.
  init(_ url: URL, _ files: some FileSystem = LocalFileSystem()) throws(CoordinationError) {
    let path = url.path(percentEncoded: false)
    guard url.isFileURL, path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
      throw .invalidURL(url.absoluteString)
    }
    do {
      let whole = try Self.existing(path, files)
      item = try Self.package(around: whole, files)
      rest = String(Substring(whole.utf8.dropFirst(item.utf8.count)))
    } catch {
      throw CoordinationError(error)
    }
  }

  /// Resolves the part of a path that exists.
  private static func existing(
    _ path: String, _ files: some FileSystem
  ) throws(FileError) -> String {
    var missing: [String] = []
    var head = path
    while true {
      if let resolved = try files.resolve(head) {
        return missing.reversed().reduce(resolved) { $0.appending(component: $1) }
      }
      let name = head.lastPathComponent
      if name.isEmpty { return path }
      head = head.parentDirectory
      switch name {
      case ".": continue
      // This leads back out of a directory that does not exist.
      case "..": head = head.parentDirectory
      default: missing.append(name)
      }
    }
  }

  private static func package(
    around path: String, _ files: some FileSystem
  ) throws(FileError) -> String {
    var ancestors = [path]
    while ancestors.last != "/" { ancestors.append(ancestors.last!.parentDirectory) }
    let marks = ancestors.map { $0.appending(component: packageMark) }
    let found = try files.statuses(marks)
    // The outermost package: everything inside a package belongs to it.
    return found.lastIndex { $0?.kind == .file }.map { ancestors[$0] } ?? path
  }
}
