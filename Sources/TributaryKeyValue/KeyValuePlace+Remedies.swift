internal import TributaryCore
internal import TributaryFiles
internal import TributaryStore

extension KeyValuePlace {
  /// Makes the error about a database that is no store name the command that makes it a key-value store, if one does.
  func namingRemedy(of error: any Error) -> any Error {
    guard var error = error as? StoreError, error.code == .notAttached else { return error }
    // What cannot be examined is not missing.
    let isMissing = (try? environment.fileSystem.status(path) == nil) ?? false
    guard isMissing || isAttachable() else { return error }
    error.remedy =
      isMissing
      ? "check the path, or run `tributary kv attach` to make it or have it rebuilt"
      : "run `tributary kv attach`"
    return error
  }

  /// Makes the error about an invalid identifier call it an identifier: to the container, it is a content name.
  func namingIdentifier(in error: any Error) -> any Error {
    guard var error = error as? any DetailedError, error.code == .invalidName else { return error }
    error.details.message = error.details.message.replacing("content name", with: "identifier")
    return error
  }
}
