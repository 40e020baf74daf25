import TributaryFiles
import TributarySQLite
import TributaryStore

extension AttachRequest {
  /// Has all connections to the store load the extensions that are asked for, or those that it has written down.
  ///
  /// - Throws: naming a file that is not there or cannot be loaded.
  package func useExtensions(_ environment: Environment) throws {
    guard let files = try extensionFiles(environment) else {
      return try Engine.useExtensions(of: store, environment)
    }
    // A trial, before anything depends on them.
    try Connection(path: ":memory:", mode: .create, extensions: files).close()
    Connection.setExtensions(files, ofDatabase: store)
  }

  /// The absolute paths of what is asked for; `nil` is as before, and an empty path takes all away.
  package func extensionFiles(_ environment: Environment) throws -> [String]? {
    try extensions?.filter { !$0.isEmpty }.map { file in
      guard let path = try environment.localFiles.resolve(file),
        try environment.localFiles.status(path)?.kind == .file
      else {
        throw StoreError(
          .path, "there is no such SQLite extension", path: file,
          remedy: "name the file of a loadable extension, such as ./icu.so, in --load-extension")
      }
      return path
    }
  }
}

extension Engine {
  /// Makes all connections to a store load the extensions that it has recorded. A database that is not
  /// attached, or that cannot be read, loads none.
  static func useExtensions(of path: String, _ environment: Environment) throws {
    guard try environment.localFiles.status(path) != nil else { return }
    do {
      let connection = try Connection.looking(at: path, environment)
      defer { connection.close() }
      guard try Settings.exist(in: connection) else { return }
      try StoreExtensions(connection, birth: environment.birth).use(at: path)
    } catch let error as SQLiteError where error.path == path {
      // What is done next says so.
    }
  }
}
