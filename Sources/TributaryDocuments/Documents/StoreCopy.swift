internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync

/// A copy of a database, or of what a store shows, as an ordinary database.
struct StoreCopy {
  let source: String
  let environment: StoreEnvironment
  /// Ends copying; `nil` if nobody can.
  var cancellation: Cancellation?
  /// Called with how far copying has come.
  var progress: ((Progress) throws -> Void)?

  /// Makes the copy where nothing is. Others may write the source meanwhile.
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
      // A file that is no database copies, too.
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
