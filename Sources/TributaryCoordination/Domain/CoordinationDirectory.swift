internal import TributaryFiles

/// The files through which processes coordinate.
struct CoordinationDirectory: Hashable, Sendable {
  let path: String

  /// The table, replaced as a whole.
  var table: String { path.appending(component: "table") }
  /// A process holds the lock of this file while it changes the table.
  var mutex: String { path.appending(component: "mutex") }
  /// The directory with a file for each process, which the process keeps open and locked as long as
  /// it lives.
  var lives: String { path.appending(component: "processes") }
  /// The directory with a file for each process, which others write to in order to wake it.
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
