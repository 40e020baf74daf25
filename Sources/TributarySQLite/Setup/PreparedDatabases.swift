import Glibc

/// The databases whose connections this process prepares.
struct PreparedDatabases: Sendable {
  /// The preparations, by file.
  private var preparations: [String: ConnectionPreparation] = [:]
  /// The files, by the paths that were used to name them.
  private var spellings: [String: String] = [:]

  var isEmpty: Bool { preparations.isEmpty }

  subscript(file: String) -> ConnectionPreparation? { preparations[file] }

  mutating func prepare(
    _ file: String, spelled path: String, with preparation: ConnectionPreparation
  ) {
    preparations[file] = preparation.completed(by: preparations[file])
    spellings[path] = file
  }

  /// Returns the file whose preparation applies to a database, or to a file beside a database whose name
  /// begins with the database's name and a dash; `nil` if there is none.
  func key(of file: String, spelled path: String) -> String? {
    if preparations[file] != nil { return file }
    if let known = spellings[path] { return known }
    if let main = preparations.keys.first(where: { Self.isBeside($0, file) }) { return main }
    return spellings.first { Self.isBeside($0.key, path) }?.value
  }

  private static func isBeside(_ main: String, _ path: String) -> Bool {
    path.utf8.starts(with: (main + "-").utf8)
  }

  /// Returns the absolute path, without links, of a file that may not exist yet.
  static func file(at path: String) -> String {
    if let whole = real(path) { return whole }
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let directory = start.map { String(path[...$0]) } ?? "."
    let name = start.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    guard let known = real(directory) else { return path }
    return known == "/" ? "/" + name : known + "/" + name
  }

  /// *realpath(3)*
  private static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
