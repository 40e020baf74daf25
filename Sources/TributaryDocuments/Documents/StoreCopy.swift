internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync

/// A copy of a database, or of the visible contents of a store, as an ordinary database.
struct StoreCopy {
  let source: String
  let environment: StoreEnvironment
  /// Cancels copying; `nil` if it cannot be cancelled.
  var cancellation: Cancellation?
  /// Called with the progress of copying.
  var progress: ((Progress) throws -> Void)?

  /// Makes the copy at a path where there is nothing. Others may write to the source meanwhile.
  func make(at path: String) throws {
    guard try LocalFileSystem().status(source)?.kind == .file else {
      throw DocumentError(
        .missing, "there is no database", path: source, remedy: "check the path")
    }
    let original = try Connection(path: source, mode: .readWrite)
    defer { original.close() }
    let copy = try Connection(path: path, mode: .create)
    do {
      try copy.replaceContents(with: original) { done, total in
        try cancellation?.check()
        try progress?(Progress(stage: "copying", done: done, total: total))
      }
      // A file that is not a database can be copied too.
      _ = try copy.integer("SELECT count(*) FROM sqlite_schema")
    } catch {
      copy.close()
      throw error
    }
    copy.close()
    if try LocalStore.isAttached(at: path) {
      // The original publishes what it has not published yet.
      try Engine.detach(
        store: path, removeLogs: false, leavingUnpublished: true, environment: environment)
    }
  }
}
