import TributaryContainer
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Examines a store and its container, and changes neither.
struct StoreDiagnosis {
  let path: String
  let environment: StoreEnvironment
  let progress: ((Progress) -> Void)?

  /// Examines the store.
  ///
  /// - Throws: if the file does not exist or cannot be opened.
  func run() throws -> [Finding] {
    guard try environment.fileSystem.status(path) != nil else {
      throw StoreError(
        .notAttached, "there is no such database", path: path,
        remedy: "check the path, or run `tributary attach` to make it or have it rebuilt")
    }
    var findings: [Finding] = []
    FileExamination(path: path, environment: environment).run(&findings)
    let connection = try Connection.looking(at: path, environment)
    defer { connection.close() }
    do {
      try connection.snapshot { try examine(connection, &findings) }
    } catch let error as SQLiteError where error.isDamage {
      findings.append(
        Finding(
          .database, .damage, path: path, "\(path): \(error.message)", remedy: Remedy.attachAgain))
    }
    return findings
  }

  private func examine(_ connection: Connection, _ findings: inout [Finding]) throws {
    let store = StoreSubject(path: path, connection: connection, environment: environment)
    guard try Settings.exist(in: connection) else {
      findings.append(
        Finding(
          .notAttached, .warning, path: path, "\(path) is attached to no container",
          remedy: "run `tributary attach`"))
      return
    }
    for examination in store.examinations { examination.run(&findings) }
    let identity: StoreIdentity
    let directory: ContentDirectory
    do {
      identity = try store.identity()
      directory = try identity.directory()
    } catch let error as StoreError {
      findings.append(
        Finding(
          error.code == .newerVersion ? .newerBookkeeping : .bookkeeping,
          error.code == .newerVersion ? .warning : .damage, path: path,
          "\(path): \(error.message)", remedy: error.remedy))
      return
    } catch let error as ContainerError {
      findings.append(store.damage(.bookkeeping, error.message, remedy: Remedy.attachAgain))
      return
    }
    let since = try? Settings(connection).integer(.missingSince)
    ReachExamination(
      directory: directory, own: identity.peer, missingSince: since.map { UInt64(clamping: $0) },
      environment: environment
    ).run(&findings)
    guard try isThere(directory, identity) else { return }
    NameExamination(directory: directory, environment: environment).run(&findings)
    let content: ContentSubject
    do {
      content = try ContentSubject(
        directory, own: identity.peer, environment: environment, progress: progress)
    } catch let error as ContainerError {
      // Denied permission, and a mount that has gone since, have already been reported.
      if !findings.contains(where: { $0.path == error.path }) {
        findings.append(
          Finding(.unreadable, .warning, path: error.path, error.message, remedy: error.remedy))
      }
      return
    }
    for examination in content.examinations + store.examinations(with: content, identity) {
      examination.run(&findings)
    }
  }

  /// Whether the store's directory exists: without it, looking for further losses is useless.
  private func isThere(_ directory: ContentDirectory, _ identity: StoreIdentity) throws -> Bool {
    // The reason for a failure is already a finding.
    (try? environment.fileSystem.status(directory.peer(identity.peer))?.kind) == .directory
  }
}
