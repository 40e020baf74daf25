import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Distinguishes what is on its way from what needs intervention, and remembers when each delay began.
  func settleDelays(_ exchange: Exchange, into report: inout SyncReport) throws {
    let files = DelayedFiles(report.damaged, in: exchange.directory, environment)
    let book = FirstSights(Settings(exchange.connection), clock: environment.clock)
    let undelivered = try undelivered(exchange, book, besides: report.waiting)
    let subjects = report.waiting.map(\.subject) + files.subjects + undelivered.map(\.subject)
    // Usually there are no delays, neither now nor before.
    if subjects.isEmpty, !hasDelays.load(ordering: .relaxed) {
      report.delays = []
      return
    }
    // On a full disk, nothing can be recorded. The earlier record then counts.
    let sights = try (try? book.note(subjects)) ?? book.all()
    hasDelays.store(!subjects.isEmpty, ordering: .relaxed)
    report.delays = try delays(report.waiting, undelivered, exchange, sights)
    (report.arriving, report.damaged) = files.divide(since: sights)
    report.failure = report.failure ?? files.failure
  }

  func delays(
    _ waiting: [Waiting], _ undelivered: [UndeliveredTransactions], _ exchange: Exchange,
    _ sights: [String: UInt64]
  ) throws -> [Delay] {
    guard !waiting.isEmpty || !undelivered.isEmpty else { return [] }
    let explanation = try DelayExplanation(exchange)
    let now = environment.clock.milliseconds()
    return explanation.delays(waiting, since: sights, now: now)
      + undelivered.map { explanation.delay(of: $0, since: sights, now: now) }
  }

  /// Returns the transactions that others have and that have not been delivered.
  ///
  /// It leaves out those that `waiting` already reports for the same log.
  ///
  /// With many peers, all receipts are read only once a day, while something was missing the last time, or
  /// while a peer that has been heard of has no directory.
  func undelivered(
    _ exchange: Exchange, _ book: FirstSights, besides waiting: [Waiting]
  ) throws -> [UndeliveredTransactions] {
    var manifests = exchange.manifests.all
    if !exchange.manifests.hasWholeReceipts,
      try isDayNew(exchange.connection)
        || lacksDirectory(exchange)
        || book.all().keys.contains(where: UndeliveredTransactions.isSubject)
    {
      manifests =
        exchange.memory.receipts.read(
          exchange.listing, in: exchange.directory, exchange.environment,
          horizons: exchange.horizons
        ).all
    }
    return try UndeliveredTransactions.find(exchange, manifests).filter { !$0.isSaid(by: waiting) }
  }

  /// Whether a peer whose transactions were imported has no directory, although no peer reports that it is
  /// gone.
  private func lacksDirectory(_ exchange: Exchange) throws -> Bool {
    let listed = Set(exchange.listing.peers.map(\.peer))
    let lacking = try KnowledgeTable(exchange.connection).peers().map(\.peer)
      .filter { !listed.contains($0) && $0 != exchange.own }
    return !lacking.isEmpty
      && !exchange.manifests.all.goneIdentities.isSuperset(of: lacking)
  }
}

/// The files that were set aside. A carrier may still be writing those that are shorter than what was written
/// and have been so only briefly.
struct DelayedFiles {
  typealias File = (path: String, reason: String)

  private let all: [File]
  private let environment: StoreEnvironment
  /// Files that are cut short, by index: the subject and the time of the last modification.
  private var short: [Int: (subject: String, modified: UInt64)] = [:]
  /// The indexes of files that cannot be examined now, so that nothing is reported about their contents.
  private var unknown: Set<Int> = []
  /// Why files cannot be examined.
  private(set) var failure: ContainerError?

  init(_ files: [File], in directory: ContentDirectory, _ environment: StoreEnvironment) {
    all = files
    self.environment = environment
    for (index, file) in files.enumerated() {
      do throws(ContainerError) {
        short[index] =
          file.path.lastPathComponent == PeerManifest.fileName
          ? try shortManifest(file.path) : try shortSegment(file.path, in: directory)
      } catch {
        unknown.insert(index)
        failure = failure ?? error
      }
    }
  }

  /// How each `peer.json` begins.
  private static let opening = Array(#"{""#.utf8)

  private func shortManifest(_ path: String) throws(ContainerError) -> (String, UInt64)? {
    let bytes: [UInt8]
    do {
      bytes = try environment.fileSystem.read(path, limit: PeerManifest.maximumByteCount)
    } catch {
      try Self.check(ContainerError(error))
      return nil
    }
    // The file is one line, whose newline is its last byte. A file that is gone by now, or whose status is
    // unknown, does not count as on its way.
    guard bytes.last != UInt8(ascii: "\n"),
      bytes.starts(with: Self.opening) || Self.opening.starts(with: bytes),
      let status = (try? environment.fileSystem.status(path)) ?? nil
    else { return nil }
    let peer = path.parentDirectory.lastPathComponent
    return ("manifest \(status.size) \(peer)", status.modifiedMilliseconds)
  }

  private func shortSegment(
    _ path: String, in directory: ContentDirectory
  ) throws(ContainerError) -> (String, UInt64)? {
    // A file that is gone, or whose status is unknown, does not count as on its way.
    guard let name = SegmentName(path.lastPathComponent),
      let peer = PeerIdentity(hex: path.parentDirectory.parentDirectory.lastPathComponent),
      // As stated above, an unknown status counts as no file.
      let status = (try? environment.fileSystem.status(path)) ?? nil,
      try isShort(name, in: SegmentStore(directory, peer: peer, using: environment.fileSystem))
    else { return nil }
    // A file that is growing is on its way, however long that takes.
    return ("file \(status.size) \(peer) \(name)", status.modifiedMilliseconds)
  }

  /// Throws the error if it says nothing about the file.
  private static func check(_ error: ContainerError) throws(ContainerError) {
    if error.isOfThisDevice { throw error }
  }

  var subjects: [String] { short.sorted { $0.key < $1.key }.map(\.value.subject) }

  /// Divides the files into arriving and damaged ones.
  ///
  /// - Parameter sights: when the store first saw each subject.
  func divide(since sights: [String: UInt64]) -> (arriving: [File], damaged: [File]) {
    let now = environment.clock.milliseconds()
    var arriving: [File] = []
    var damaged: [File] = []
    for (index, file) in all.enumerated() where !unknown.contains(index) {
      guard let (subject, modified) = short[index] else {
        damaged.append(file)
        continue
      }
      // Carriers may set any modification time on a file. A time long ago means that nothing is writing to
      // it.
      let since = min(sights[subject] ?? now, modified)
      if now < since + Delay.filePatience { arriving.append(file) } else { damaged.append(file) }
    }
    return (arriving, damaged)
  }

  /// Files larger than this, in bytes, count as incomplete only if their end alone shows it.
  private static let largestExamined = 64 << 20

  private func isShort(
    _ name: SegmentName, in segments: SegmentStore
  ) throws(ContainerError) -> Bool {
    do {
      var reader = try SegmentReader(source: try segments.open(name))
      while try reader.nextTransaction() != nil {}
      return false
    } catch let error as LogError {
      guard error.code == .truncated else { return false }
      // A file whose end cannot be read counts as cut off: it is examined again later.
      let bytes = try? environment.fileSystem.read(
        segments.path(of: name), limit: Self.largestExamined)
      return bytes.map { !SegmentTrailer.isLast(in: $0) } ?? true
    } catch let error as ContainerError {
      try Self.check(error)
      return false
    } catch {
      return false
    }
  }
}
