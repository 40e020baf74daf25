import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

/// Reports what `attach` would do, and changes nothing: no files or directories are created, and the database
/// stays the same, byte for byte.
///
/// It does not find out which rows of the database the logs contain: only an import can tell. It reports
/// where that matters.
struct AttachRehearsal {
  let request: AttachRequest
  let environment: StoreEnvironment

  func report() throws -> AttachReport {
    let prospect = try AttachProspect(request, environment)
    var report = AttachReport(outcome: .refused, identity: identity(prospect))
    report.isRehearsal = true
    report.followsSchema = request.followsWhenNew
    // A refusal here prevents examining the rest.
    var refusals = prospect.refusals
    let outcome = try refusals.gather {
      prospect.way == .reopening
        ? try reopen(prospect, &report) : try make(prospect, &report)
    }
    report.refusals = refusals + report.refusals
    if report.refusals.isEmpty, let outcome { report.outcome = outcome }
    return report
  }

  /// Returns an identity that no store has yet.
  private func identity(_ prospect: AttachProspect) -> StoreIdentity {
    StoreIdentity(
      peer: PeerIdentity(high: 0, low: 0), peerName: request.peerName ?? HostName.current,
      container: prospect.directory?.container ?? request.container,
      contentRoot: prospect.directory?.root.text ?? request.contentRoot ?? "",
      contentName: request.contentName)
  }

  private func make(
    _ prospect: AttachProspect, _ report: inout AttachReport
  ) throws -> AttachReport.Outcome {
    let shared =
      prospect.way == .joining
      ? prospect.manifests.flatMap { SharedSchema(manifests: $0).newest(except: nil) } : nil
    let (connection, unmade) = try database(prospect, shared)
    defer { connection.close() }
    let isBlank = connection.path == Self.memory
    let adopts = prospect.way != .joining
    let selection = try request.selection(shared, in: connection)
    let found = try AgreedAttachment(
      request: request, manifests: prospect.refusals.isEmpty ? prospect.manifests : nil,
      isBlank: isBlank
    ).examine(
      connection, report.identity, selection: selection, path: request.store, adopts: adopts)
    report.refusals += found.refusals
    try report.describe(found.schema, selection, in: connection, prospect.way)
    report.notes += prospect.unsharedTables(among: found.schema)
    report.note(found.copied)
    report.leftOut += try UnmadeObjects.leftOut(unmade, extensions: connection.extensions)
    try report.countRows(in: connection)
    if prospect.way == .joining, !isBlank, try hasForgotten(prospect) {
      report.notes.append(
        AttachNote(
          .warning,
          "the other devices have forgotten what they had deleted: if this database has any row of theirs, those of "
            + "its rows that they do not have become conflicts, which `tributary conflicts resolve --restore` brings back"
        ))
    }
    return switch prospect.way {
    case .joining where !isBlank: .joined(added: 0)
    case .joining where prospect.hasLogs: .rebuilt(transactions: prospect.transactions)
    case .adopting where !isBlank: .adopted(rows: report.tables.reduce(0) { $0 + ($1.rows ?? 0) })
    default: .created
    }
  }

  /// Whether there is a baseline that stands for logs that devices have forgotten.
  private func hasForgotten(_ prospect: AttachProspect) throws -> Bool {
    guard let directory = prospect.directory else { return false }
    return try DeclaredBaselines().all(in: prospect.listing, directory, environment)
      .contains { $0.header.declaration != nil }
  }

  private static let memory = ":memory:"

  /// Opens the database as it is, or creates in memory the one that would be made. Also returns the
  /// statements that cannot be run there.
  private func database(
    _ prospect: AttachProspect, _ shared: ManifestSchema?
  ) throws -> (Connection, unmade: [String]) {
    if prospect.exists {
      let connection = try Connection.looking(at: request.store, environment)
      if try !SchemaTables.areNone(in: connection) {
        try request.checkMigrations(connection)
        return (connection, [])
      }
      connection.close()
    }
    let connection = try Connection(
      path: Self.memory, mode: .create, classifies: true,
      extensions: Connection.companions(ofDatabase: request.store))
    if prospect.way == .joining, let directory = prospect.directory {
      return (connection, try request.makeTables(shared, in: connection, directory))
    }
    try Migration.run(request.migrations, in: connection)
    return (connection, [])
  }

  private func reopen(
    _ prospect: AttachProspect, _ report: inout AttachReport
  ) throws -> AttachReport.Outcome {
    let connection = try Connection.looking(at: request.store, environment)
    defer { connection.close() }
    let found = try ReopeningExamination(request, connection, environment)
    report.identity = found.identity
    report.followsSchema =
      try request.followsSchema ?? FollowedSchema(connection).isFollowing
    // If the container is missing, nothing else of it can be examined.
    if prospect.refusals.isEmpty { report.refusals += found.refusals }
    let selection = try request.tables ?? TableSelection(connection)
    try report.describe(
      ReplicatedSchema(connection, selection: selection), selection, in: connection,
      prospect.way)
    try report.countRows(in: connection)
    return found.isMoved ? .moved : .alreadyAttached
  }
}
