internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles
package import TributaryReplay
internal import TributarySQLite
package import TributarySync

/// A store as it was at a moment, made only from logs, by importing them as any device would.
package struct MomentStore {
  /// The path of the database.
  package let path: String
  /// The parts of the logs that could not be imported, and why.
  package private(set) var waiting: [Waiting] = []
  /// The number of its transactions.
  package private(set) var transactionCount = 0
  let container: ScratchContainer

  /// The content name of its logs.
  package var contentName: String { container.content.name.text }

  /// The environment in which the store sees its container.
  var environment: StoreEnvironment {
    var environment = StoreEnvironment(fileSystem: container.fileSystem, containerLimit: nil)
    environment.stateDirectory = nil
    return environment
  }

  /// The baseline with which its history begins; `nil` if it begins with the first transactions.
  package var beginning: LogBaseline? { container.beginning }

  /// Whether there is anything to replay.
  var hasLogs: Bool { !container.isEmpty }

  /// Makes the store.
  ///
  /// - Parameters:
  ///   - moment: `nil` means the end.
  ///   - path: where to make it; `nil` means a temporary directory.
  ///   - extensions: the files of SQLite extensions that its tables need.
  ///   - report: called for damaged files; everything else is imported.
  /// - Throws: `InspectionError`, `FileError`, what attaching throws; nothing is left then.
  package init(
    _ logs: [PeerLog], at moment: Moment?, path: String? = nil, extensions: [String] = [],
    progress: ((Progress) -> Void)? = nil, report: (LogFinding) -> Void
  ) throws {
    if let path { try Self.check(path, logs) }
    container = try ScratchContainer(logs, at: moment, report: report)
    self.path = path ?? container.databasePath
    do {
      var request = AttachRequest(
        store: self.path, container: container.path, contentName: container.content.name.text)
      request.extensions = extensions
      // Every connection to the database loads them.
      try request.useExtensions(environment)
      guard hasLogs else {
        try SchemaStatements.run(container.schema, at: self.path)
        return
      }
      let result = try Engine.attach(request, environment: environment, progress: progress)
      waiting = result.waiting
      for (path, reason) in result.damaged { report(container.finding(path, reason)) }
      try checkBeginning(result)
      if case .rebuilt(let count) = result.outcome { transactionCount = count }
    } catch {
      if path != nil { removeDatabase() }
      container.remove()
      throw error
    }
  }

  /// Checks that the store has what is no longer in any segment.
  private func checkBeginning(_ report: AttachReport) throws {
    guard let beginning, report.baseline == nil else { return }
    let reasons = report.notes.filter { $0.kind == .warning && $0.table == nil }
      .map { "; \(container.original($0.text))" }.joined()
    throw InspectionError(
      "no segment has the first \(beginning.header.transactionCount) transactions, which the devices have "
        + "forgotten, and no baseline here that stands for them can be used\(reasons)",
      remedy: LogBeginning.remedy)
  }

  /// Checks that the store can be made at a path.
  ///
  /// - Throws: `InspectionError` if something exists there, `ContainerError` inside a container.
  private static func check(_ path: String, _ logs: [PeerLog]) throws {
    let fileSystem = LocalFileSystem()
    guard try fileSystem.status(path) == nil else {
      throw InspectionError(
        "\(path) already exists", remedy: "remove it, or name another file")
    }
    for log in logs {
      guard let directory = log.directory, let resolved = try fileSystem.resolve(directory) else {
        continue
      }
      // The directories above do not show that they are a container, but the one that contains
      // these logs is one, unless the logs were moved out.
      guard resolved.parentDirectory.lastPathComponent == "peers" else { continue }
      let root = resolved.parentDirectory.parentDirectory.parentDirectory
      try Placement.checkNotInside(storePath: path, container: root, using: fileSystem)
    }
  }

  /// Makes it an ordinary database, and removes everything else.
  package consuming func detach() throws {
    defer {
      container.remove()
      Connection.setExtensions([], ofDatabase: path)
    }
    if hasLogs { try Engine.detach(store: path, removeLogs: false, environment: environment) }
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA journal_mode = DELETE")
  }

  /// Removes everything that was made for the store in temporary directories.
  package consuming func remove() {
    container.remove()
    Connection.setExtensions([], ofDatabase: path)
  }

  private func removeDatabase() {
    let fileSystem = LocalFileSystem()
    for suffix in ["", "-wal", "-shm", "-journal"] {
      // A remaining file does no harm.
      try? fileSystem.remove(path + suffix)
    }
  }
}
