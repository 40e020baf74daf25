internal import Glibc
internal import Synchronization
internal import TributaryFiles

/// This process's session with the table. Used by one thread at a time.
final class Session: Sendable {
  let directory: CoordinationDirectory
  let record: ProcessRecord
  private let file: TableFile
  private let membership: Membership

  /// When to look for processes that have ended.
  enum Clearing { case never, ifWaiting, always }

  init(_ directory: CoordinationDirectory) throws(CoordinationError) {
    self.directory = directory
    file = try TableFile(directory)
    let process = getpid()
    let identity = "\(process)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    do {
      membership = try Membership(identity, in: directory)
    } catch {
      throw CoordinationError(error)
    }
    // The name only helps people.
    let name = (try? LocalFileSystem().read("/proc/self/comm", limit: 100)) ?? []
    record = ProcessRecord(
      identity: identity, number: process,
      name: String(decoding: name.prefix { $0 >= UInt8(ascii: " ") }, as: UTF8.self))
  }

  var bell: String { directory.bell(of: record.identity) }

  var isOrphaned: Bool { file.isOrphaned }

  func read() throws(CoordinationError) -> CoordinationTable { try file.read() }

  func transact<Result: Sendable>(
    clearing: Clearing, _ effects: inout Effects,
    _ local: borrowing Mutex<LocalCoordination>,
    _ change: (inout CoordinationTable, String) throws(CoordinationError) -> Result
  ) throws(CoordinationError) -> Result {
    try file.lock()
    defer { file.unlock() }
    let before = try file.read()
    var table = before
    let isNew = !table.processes.contains(record)
    table.join(record)
    if clearing == .always || isNew { clear(&table) }
    local.withLock { $0.endUnfinished(in: &table) }
    let result = try change(&table, record.identity)
    table.advance()
    if clearing == .ifWaiting, table.hasUngranted(of: record.identity), clear(&table) {
      // Perhaps only a process that has ended was in the way.
      table.advance()
    }
    effects.mail = table.takeMessages(for: record.identity)
    if table != before { try file.write(table) }
    effects.granted = local.withLock { $0.takeGranted(in: table) }
    effects.bells = table.processesWithNews(since: before).subtracting([record.identity])
      .map { directory.bell(of: $0) }
    return result
  }

  @discardableResult
  private func clear(_ table: inout CoordinationTable) -> Bool {
    let ended = table.processes.filter {
      $0.identity != record.identity && Membership.hasEnded($0, in: directory)
    }
    table.removeProcesses(Set(ended.map(\.identity)))
    for process in ended { Membership.clear(process.identity, in: directory) }
    return !ended.isEmpty
  }
}
