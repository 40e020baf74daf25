import TributaryFiles
import TributaryStore

/// Finds the migrations of an application in files.
enum MigrationFiles {
  /// Reads the migrations.
  ///
  /// - Parameter path: a file, which is one migration named by its stem; or a directory, each of
  ///   whose `*.sql` files is one migration, in the byte order of their names.
  static func read(_ path: String) throws -> [Migration] {
    let files = LocalFileSystem()
    guard try files.status(path)?.kind == .directory else { return [try migration(path)] }
    let names = try files.list(path)
      .filter { $0.isExact && $0.name.hasSuffix(".sql") && !$0.name.hasPrefix(".") }
      .map(\.name)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard !names.isEmpty else {
      throw TextError(
        "\(path): there is no *.sql file in this directory; name a directory with migrations, or a file"
      )
    }
    return try names.map { try migration(path.appending(component: $0)) }
  }

  private static func migration(_ path: String) throws -> Migration {
    let name = path.lastPathComponent
    let stem = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[..<$0] } ?? name[...]
    return Migration(
      name: stem.isEmpty ? name : String(stem), sql: try SQLText.decode(WholeFile.read(path), path))
  }
}
