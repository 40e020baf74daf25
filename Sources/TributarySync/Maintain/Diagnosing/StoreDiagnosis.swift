import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Examines a store, in one snapshot, and its container. Changes neither.
struct StoreDiagnosis {
  let path: String
  let connection: Connection
  let environment: StoreEnvironment

  /// Examines a store.
  ///
  /// - Throws: if the file does not exist or cannot be opened.
  static func run(
    _ path: String, _ environment: StoreEnvironment, progress: ((Progress) -> Void)?
  ) throws -> [Finding] {
    guard try environment.fileSystem.status(path) != nil else {
      throw StoreError(
        .notAttached, "there is no such database, and no such directory", path: path,
        remedy:
          "check the path; if it is a container, mount it, or make the directory; if it is a store, run `tributary "
          + "attach` to make it or have it rebuilt")
    }
    var findings = Findings()
    findings.examine("the files beside the database") { try files(beside: path, environment, &$0) }
    access(to: path, environment, &findings)
    do {
      let connection = try Connection.looking(at: path, environment)
      defer { connection.close() }
      let store = StoreDiagnosis(path: path, connection: connection, environment: environment)
      try connection.snapshot { try store.run(&findings, progress) }
    } catch let error as SQLiteError where error.code == .notADatabase {
      findings.damage(
        .database, path: path,
        "\(path) is not an SQLite database, or its beginning was overwritten",
        remedy: "check the path; if this was a store, \(Remedy.attachAgain)")
    } catch let error as SQLiteError where error.isDamage {
      findings.damage(
        .database, path: path, "\(path): \(error.message)", remedy: Remedy.attachAgain)
    } catch let error as SQLiteError where error.lacksRoom || error.lacksFiles {
      findings.warn(
        error.lacksRoom ? .storeFull : .unexamined, path: path,
        "nothing of the store could be examined: \(error.details.message)",
        remedy: "\(error.remedy), then run `tributary doctor` again")
    } catch let error as SQLiteError where error.isReadOnly {
      // SQLite keeps an index beside the database, even for readers.
      findings.warn(
        .unexamined, path: path, "nothing of the store could be examined: \(error.message)",
        remedy: "make the file and its directory writable, then run `tributary doctor` again")
    }
    return findings.all
  }

  private func run(_ findings: inout Findings, _ progress: ((Progress) -> Void)?) throws {
    guard try Settings.exist(in: connection) else {
      findings.warn(
        .notAttached, path: path, "\(path) is attached to no container",
        remedy: "run `tributary attach`")
      return
    }
    examineDatabase(&findings)
    let identity: StoreIdentity
    let directory: ContentDirectory
    do {
      identity = try self.identity()
      directory = try identity.directory()
    } catch let error as StoreError where error.code == .newerVersion {
      findings.warn(
        .newerBookkeeping, path: path, "\(path): \(error.message)", remedy: error.remedy)
      return
    } catch let error as StoreError {
      findings.add(damage(.bookkeeping, error.message, remedy: error.remedy))
      return
    } catch let error as ContainerError {
      findings.add(damage(.bookkeeping, error.message, remedy: Remedy.attachAgain))
      return
    }
    let place = PlaceDiagnosis(directory: directory, environment: environment)
    let since = try? Settings(connection).integer(.missingSince)
    findings.examine("the container") {
      try place.reach(of: identity.peer, missingSince: since.map { UInt64(clamping: $0) }, &$0)
    }
    room(beside: directory.container, &findings)
    // Without the store's directory, searching for further losses is useless, and the reason is already a
    // finding.
    let own = try? environment.fileSystem.status(directory.peer(identity.peer))
    guard own?.kind == .directory else { return }
    findings.examine("the names of directories", place.names)
    let content: ContentDiagnosis
    do {
      content = try ContentDiagnosis(
        directory, own: identity.peer, environment: environment, progress: progress)
    } catch let error as ContainerError {
      // Denied permission, or a mount that has disappeared since, has already been reported.
      if !findings.all.contains(where: { $0.path == error.path }) {
        findings.warn(.unreadable, path: error.path, error.message, remedy: error.remedy)
      }
      return
    }
    content.run(&findings)
    compare(with: content, identity, &findings)
  }

  /// Examines what needs only the database.
  private func examineDatabase(_ findings: inout Findings) {
    findings.examine("the database", database)
    findings.examine("what rows refer to", references)
    findings.examine("the tables of the bookkeeping", bookkeepingTables)
    findings.examine("the rows of the bookkeeping", bookkeepingRows)
    findings.examine("the bookkeeping", records)
    findings.examine("the store's own transactions", outbox)
    findings.examine("what the store knows of other peers", knowledge)
    findings.examine("what the store knows of its segments", segmentTable)
    findings.examine("what the store has forgotten", horizon)
    findings.examine("the tables", tables)
    findings.examine("the triggers", triggers)
    findings.examine("the writes of other programs", foreignWrites)
    findings.examine("the clock", clock)
    findings.examine("what is unpublished", unpublished)
    findings.examine("how much was written", growth)
  }

  /// Compares the store with its container.
  private func compare(
    with content: ContentDiagnosis, _ identity: StoreIdentity, _ findings: inout Findings
  ) {
    findings.examine("the store's identity") { try self.identity(identity, in: content, &$0) }
    findings.examine("the store's own segments") {
      try ownSegments(of: identity.peer, in: content, &$0)
    }
    findings.examine("what has arrived") { try arrivals(for: identity, in: content, &$0) }
    findings.examine("what stands for forgotten logs", settledRows)
    findings.examine("what others have forgotten", forgottenLogs)
    findings.examine("the limit of disk use") { try limit(of: identity, in: content, &$0) }
    findings.examine("how tables merge") { try agreement(of: identity.peer, in: content, &$0) }
    findings.examine("what tables demand of their rows") {
      try rules(of: identity.peer, in: content, &$0)
      try types(of: identity.peer, in: content, &$0)
    }
  }

  // MARK: What several examinations need

  /// Reads the identity of the store.
  ///
  /// - Throws: `StoreError` for bookkeeping that does not contain it.
  func identity() throws -> StoreIdentity { try Settings(connection).identity() }

  /// Returns the store's last own transaction; zero before the first.
  func last() throws -> SequenceNumber { try Outbox(connection).last()?.sequence ?? .zero }

  func schema() throws -> ReplicatedSchema {
    try ReplicatedSchema(connection, selection: TableSelection(connection))
  }

  /// Creates a finding about damage to the store.
  func damage(
    _ code: Finding.Code, _ explanation: String, remedy: String = Remedy.rebuild
  ) -> Finding {
    Finding(code, .damage, path: path, "\(path): \(explanation)", remedy: remedy)
  }
}
