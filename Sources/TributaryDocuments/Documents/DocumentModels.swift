package import TributaryFiles
public import TributaryStore

/// Finds the models of documents: the migrations of an application, in SQL files.
public enum DocumentModels {
  /// The largest file that is read.
  private static let limit = 16 << 20

  /// Returns the migrations in a directory and its subdirectories: one for each `*.sql` file, in the byte
  /// order of their names. The name of a migration is the name of its file without the extension.
  ///
  /// - Throws: `DocumentError` with `missing` if there is no such directory or no such file, `damaged` if a
  ///   file is not in UTF-8, `nameCollision` if two have the same name.
  public static func find(in directory: String) throws(DocumentError) -> [Migration] {
    try find(in: directory, using: LocalFileSystem())
  }

  package static func find(
    in directory: String, using files: some FileSystem
  ) throws(DocumentError) -> [Migration] {
    var paths: [String] = []
    do {
      try collect(directory, files, &paths)
    } catch {
      throw DocumentError(error)
    }
    guard !paths.isEmpty else {
      throw DocumentError(
        .missing, "there is no *.sql file in the directory", path: directory,
        remedy: "put the migrations there, or name them")
    }
    paths.sort { $0.lastPathComponent.utf8.lexicographicallyPrecedes($1.lastPathComponent.utf8) }
    var migrations: [Migration] = []
    for path in paths {
      let name = String(path.lastPathComponent.dropLast(4))
      if migrations.contains(where: { $0.name == name }) {
        throw DocumentError(
          .nameCollision, "another file of this name is a migration too", path: path,
          remedy: "give each migration a name of its own")
      }
      let bytes: [UInt8]
      do {
        bytes = try files.read(path, limit: limit)
      } catch {
        throw DocumentError(error)
      }
      guard let sql = String(validating: bytes, as: UTF8.self) else {
        throw DocumentError(
          .damaged, "the file is not in UTF-8", path: path, remedy: "save it in UTF-8")
      }
      migrations.append(Migration(name: name, sql: sql))
    }
    return migrations
  }

  private static func collect(
    _ directory: String, _ files: some FileSystem, _ paths: inout [String]
  ) throws(FileError) {
    for entry in try files.list(directory) where entry.isExact && !entry.name.hasPrefix(".") {
      let path = directory.appending(component: entry.name)
      switch entry.kind {
      case .directory: try collect(path, files, &paths)
      case .file where entry.name.hasSuffix(".sql") && entry.name.utf8.count > 4: paths.append(path)
      default: break
      }
    }
  }
}
