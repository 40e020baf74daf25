internal import TributaryFiles

/// Makes relative paths absolute.
enum AbsolutePath {
  /// Returns a path from the root, without `.`, `..` and empty components. Links are kept.
  static func of(_ path: String) throws(DocumentError) -> String {
    var absolute = path
    if path.utf8.first != UInt8(ascii: "/") {
      do {
        absolute = (try LocalFileSystem().resolve(".") ?? "/").appending(component: path)
      } catch {
        throw DocumentError(error)
      }
    }
    var components: [Substring] = []
    for component in absolute.split(separator: "/") {
      switch component {
      case ".": break
      case "..": _ = components.popLast()
      default: components.append(component)
      }
    }
    return "/" + components.joined(separator: "/")
  }

  /// Returns the path without links, as far as it exists.
  static func resolved(_ path: String, using files: some FileSystem) throws(DocumentError) -> String
  {
    var existing = try of(path)
    var missing: [String] = []
    do {
      while true {
        if let resolved = try files.resolve(existing) {
          return missing.reversed().reduce(resolved) { $0.appending(component: $1) }
        }
        missing.append(existing.lastPathComponent)
        existing = existing.parentDirectory
      }
    } catch {
      throw DocumentError(error)
    }
  }

  /// Returns the part of a path below a directory; `nil` if the path is not below it. Both are without links.
  static func relative(_ path: String, to directory: String) -> String? {
    let beginning = directory.appending(component: "")
    guard path.utf8.starts(with: beginning.utf8) else { return nil }
    return String(decoding: path.utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
  }
}
