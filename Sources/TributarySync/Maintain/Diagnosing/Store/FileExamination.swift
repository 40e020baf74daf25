import TributaryFiles

/// The files beside the database.
struct FileExamination: Examination {
  let path: String
  let environment: StoreEnvironment

  let subject = "the files beside the database"

  /// In bytes: SQLite starts a log over at 4 MB unless something prevents it.
  private static let logLimit: UInt64 = 64 << 20

  func examine(_ findings: inout [Finding]) throws {
    let log = path + "-wal"
    if let status = try environment.fileSystem.status(log), status.size > Self.logLimit {
      findings.append(
        Finding(
          .writeAheadLog, .warning, path: log,
          "\(log) has \(status.size >> 20) MB: a program has been reading for long, or a process was killed",
          remedy: "end long reads; it shrinks when the last process closes the store"))
    }
    let staging = Staging(target: path, fileSystem: environment.fileSystem).path
    if try environment.fileSystem.status(staging) != nil {
      findings.append(
        Finding(
          .staging, .note, path: staging,
          "\(staging) is being put together, or was left by an attach or rebuild that was killed",
          remedy: "run that command again, or remove the file when none is running"))
    }
  }
}
