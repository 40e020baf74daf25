import TributaryCore
import TributaryFiles
import TributarySQLite

/// The SQLite extensions that a store needs on this device, as it has them written down.
///
/// A library that is loaded runs as this process, so a database that comes from elsewhere must not name one: what is
/// written down counts only for the file in which it was written, by when that was made.
package struct StoreExtensions {
  private let connection: Connection
  /// When the file was made; `nil` where nobody knows.
  private let birth: Int64?

  /// - Parameter birth: tells when a file was made.
  package init(_ connection: Connection, birth: (String) -> Int64?) {
    self.connection = connection
    self.birth = birth(connection.filePath)
  }

  /// What is written down: absolute paths.
  package func recorded() throws -> (files: [String], isOfThisFile: Bool) {
    guard let text = try Settings(connection).text(.extensions) else { return ([], true) }
    let parts = text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    return (Array(parts.dropFirst()), parts[0] == mark)
  }

  /// Writes down what attaching has chosen.
  package func write(_ files: [String]) throws {
    try Settings(connection).set(
      .extensions,
      files.isEmpty ? nil : .string(([mark] + files).joined(separator: "\0")))
  }

  /// Has all connections to the store load what is written down, this one too, unless something else was chosen in
  /// this process.
  ///
  /// - Throws: naming a file that cannot be loaded.
  package func use(at path: String) throws {
    guard Connection.extensions(ofDatabase: path) == nil else { return }
    let (files, isOfThisFile) = try recorded()
    guard !files.isEmpty, isOfThisFile else { return }
    try connection.load(files)
    Connection.setExtensions(files, ofDatabase: path)
  }

  /// What `status` says where they are not loaded.
  package func finding() throws -> String? {
    let (files, isOfThisFile) = try recorded()
    if files.isEmpty || isOfThisFile { return nil }
    return
      "the store was copied, and names SQLite extensions that are loaded only where somebody has said so for this "
      + "file: \(files.joined(separator: ", ")); run `tributary attach` with --load-extension for each"
  }

  private var mark: String { birth.map { "\($0)" } ?? "" }
}
