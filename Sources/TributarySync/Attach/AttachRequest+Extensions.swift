import TributaryFiles
import TributarySQLite
import TributaryStore

extension AttachRequest {
  /// Makes all connections to the store load the requested extensions or, if none are requested, the recorded
  /// ones.
  ///
  /// - Throws: an error that names a file that does not exist or cannot be loaded.
  package func useExtensions(_ environment: StoreEnvironment) throws {
    guard let files = try extensionFiles(environment) else {
      return try Engine.useExtensions(of: store, environment)
    }
    // This is a trial, before anything depends on the extensions.
    try Connection(path: ":memory:", mode: .create, extensions: files).close()
    Connection.setExtensions(files, ofDatabase: store)
  }

  /// Returns the absolute paths of the requested extensions; `nil` leaves them unchanged, and an
  /// empty path removes all.
  package func extensionFiles(_ environment: StoreEnvironment) throws -> [String]? {
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
  static func useExtensions(of path: String, _ environment: StoreEnvironment) throws {
    guard try environment.localFiles.status(path) != nil else { return }
    do {
      let connection = try Connection.looking(at: path, environment)
      defer { connection.close() }
      guard try Settings.exist(in: connection) else { return }
      try StoreExtensions(connection, birth: environment.birth).use(at: path)
    } catch let error as SQLiteError where error.path == path {
      // The next step reports the error.
    }
  }
}
