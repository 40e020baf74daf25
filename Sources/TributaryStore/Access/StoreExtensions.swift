import TributaryCore
import TributaryFiles
import TributarySQLite

/// The SQLite extensions that a store needs on this device, as its bookkeeping records them.
///
/// A loaded library runs as part of this process, so a database from elsewhere must not be able to name one.
/// The record therefore counts only in the file in which it was written, which is identified by its creation
/// time.
package struct StoreExtensions {
  private let connection: Connection
  /// The creation time of the file; `nil` if unknown.
  private let birth: Int64?

  /// Reads the record.
  ///
  /// - Parameter birth: returns the creation time of a file.
  package init(_ connection: Connection, birth: (String) -> Int64?) {
    self.connection = connection
    self.birth = birth(connection.filePath)
  }

  /// Returns the recorded extensions, as absolute paths.
  package func recorded() throws -> (files: [String], isOfThisFile: Bool) {
    guard let text = try Settings(connection).text(.extensions) else { return ([], true) }
    let parts = text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    return (Array(parts.dropFirst()), parts[0] == mark)
  }

  /// Records the extensions that attaching has chosen.
  package func write(_ files: [String]) throws {
    try Settings(connection).set(
      .extensions,
      files.isEmpty ? nil : .string(([mark] + files).joined(separator: "\0")))
  }

  /// Makes all connections to the store, including this one, load the recorded extensions, unless this
  /// process has chosen others.
  ///
  /// - Throws: an error that names a file that cannot be loaded.
  package func use(at path: String) throws {
    guard Connection.extensions(ofDatabase: path) == nil else { return }
    let (files, isOfThisFile) = try recorded()
    guard !files.isEmpty, isOfThisFile else { return }
    try connection.load(files)
    Connection.setExtensions(files, ofDatabase: path)
  }

  /// Returns what `status` reports if they are not loaded.
  package func finding() throws -> String? {
    let (files, isOfThisFile) = try recorded()
    if files.isEmpty || isOfThisFile { return nil }
    return
      "the store was copied, and names SQLite extensions that are loaded only where somebody has said so for this "
      + "file: \(files.joined(separator: ", ")); run `tributary attach` with --load-extension for each"
  }

  private var mark: String { birth.map { "\($0)" } ?? "" }
}
