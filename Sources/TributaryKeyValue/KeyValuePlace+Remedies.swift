internal import TributaryCore
internal import TributaryFiles
internal import TributaryStore

extension KeyValuePlace {
  /// Makes an error about a database that is not a store name the command that makes a key-value store.
  func namingRemedy(of error: any Error) -> any Error {
    guard var error = error as? StoreError, error.code == .notAttached else { return error }
    // A file that cannot be examined is not missing.
    let isMissing = (try? environment.fileSystem.status(path) == nil) ?? false
    error.remedy =
      if isMissing {
        "check the path, or run `tributary kv attach` to make it or have it rebuilt"
      } else if isAttachable() {
        Self.attachRemedy
      } else {
        Self.makeRemedy
      }
    return error
  }

  /// The remedy if a database can become a key-value store.
  package static let attachRemedy = "run `tributary kv attach`"
  /// The remedy if a database is a different one.
  static let makeRemedy =
    "make a key-value store with `tributary kv attach`, at the path of a file that does not exist yet"

  /// Whether a database that is not a store was a key-value store, so that `kv attach` makes it one again.
  package static func wasKeyValueStore(_ path: String) -> Bool {
    // Reading errors are reported elsewhere.
    let isThere = (try? LocalFileSystem().status(path) != nil) ?? false
    return isThere && (try? profile(of: path)) != nil
  }

  /// Makes an error about an invalid identifier call it an identifier. To the container, it is a content
  /// name.
  func namingIdentifier(in error: any Error) -> any Error {
    guard var error = error as? any DetailedError, error.code == .invalidName else { return error }
    error.details.message = error.details.message.replacing("content name", with: "identifier")
    return error
  }
}
