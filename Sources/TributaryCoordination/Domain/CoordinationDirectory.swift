internal import TributaryFiles

/// The files by which processes coordinate.
struct CoordinationDirectory: Hashable, Sendable {
  let path: String

  /// The table, replaced as a whole.
  var table: String { path.appending(component: "table") }
  /// A process that changes the table holds the lock of this file.
  var mutex: String { path.appending(component: "mutex") }
  /// A file for each process, which it keeps open and locked as long as it lives.
  var lives: String { path.appending(component: "processes") }
  /// A file for each process, which others write to wake it.
  var bells: String { path.appending(component: "bells") }

  func life(of process: String) -> String { lives.appending(component: process) }

  func bell(of process: String) -> String { bells.appending(component: process) }

  func make() throws(CoordinationError) {
    try RuntimeDirectory.make(path.parentDirectory)
    try RuntimeDirectory.make(path)
    try RuntimeDirectory.make(lives)
    try RuntimeDirectory.make(bells)
  }
}
