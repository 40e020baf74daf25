internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles
internal import TributaryLog
internal import TributaryReplay
internal import TributarySync

/// A separate container with the state of some logs at a moment: the real files if they belong to
/// it entirely, and shortened copies of the others. Nothing is written to the real container.
struct ScratchContainer {
  /// The path of the container.
  let path: String
  private let directory: ScratchDirectory
  let content: ContentDirectory
  /// The file system through which to read it.
  private(set) var fileSystem: ScratchFileSystem
  /// The schema of the tables, from some manifest or from the logs.
  private(set) var schema: ManifestSchema
  /// Whether nothing happened up to the moment.
  private(set) var isEmpty = true
  /// The baseline with which the history begins; `nil` if it begins with the first transactions.
  private(set) var beginning: LogBaseline?
  private var usable: [LogBaseline] = []

  /// Makes the container.
  ///
  /// - Parameter report: called for damaged segments and baselines, which are left out.
  /// - Throws: `InspectionError` if there are no logs, or those of several databases; `FileError`.
  init(
    _ logs: [PeerLog], at moment: Moment?, using base: any FileSystem = LocalFileSystem(),
    report: (LogFinding) -> Void
  ) throws {
    let found = try LogSegments.read(logs, using: base, report: report)
    let segments = ContentNames(of: found).fitting(found, using: base, report: report)
    let cut: MomentCut
    do {
      cut = try MomentCut(moment, among: segments)
    } catch {
      throw Self.beneath(moment, logs, segments, using: base) ?? error
    }
    let begin = LogBeginning.find(
      beside: logs, having: LogCoverage(segments), using: base,
      isUsable: { cut.includes($0.header) }, check: { try $0.checkWhole(using: base) },
      report: report
    ).first
    let baselines = begin.map { $0.usable + $0.others + $0.damaged } ?? []
    let name = try Self.contentName(of: segments, baselines)
    directory = try ScratchDirectory(using: base)
    path = directory.path.appending(component: "container")
    content = ContentDirectory(container: path, root: .standard, name: name)
    fileSystem = ScratchFileSystem(over: base)
    schema = ManifestSchema(id: "", tables: [], sql: [], migrations: [])
    do {
      try base.makeDirectories(path)
      try fill(logs, segments, Set(baselines.map(\.file.owner)), cut, report)
      if let begin { try addBaselines(begin, cut) }
    } catch {
      remove()
      throw error
    }
  }

  /// Returns the error for a transaction that is only in a baseline; `nil` for any other.
  private static func beneath(
    _ moment: Moment?, _ logs: [PeerLog], _ segments: [LogSegment], using base: any FileSystem
  ) -> InspectionError? {
    guard case .transaction(let prefix, let sequence) = moment else { return nil }
    let begin = LogBeginning.find(
      beside: logs, having: LogCoverage(segments), using: base, check: { _ in }, report: { _ in }
    ).first
    guard let baseline = begin?.usable.first,
      baseline.header.entries.contains(where: {
        $0.peer.description.hasPrefix(prefix) && sequence <= $0.sequence
      })
    else { return nil }
    return begins(with: baseline)
  }

  private static func begins(with baseline: LogBaseline) -> InspectionError {
    let time = Timestamp.text(milliseconds: baseline.time.milliseconds)
    return InspectionError(
      "the logs begin at \(time): what came before is only in the baseline \(baseline.path), as rows",
      remedy: "name a moment after that")
  }

  private static func contentName(
    of segments: [LogSegment], _ baselines: [LogBaseline]
  ) throws -> ContentName {
    let names = Set(segments.map(\.header.contentName) + baselines.map(\.header.contentName))
    guard let first = names.first else {
      throw InspectionError(
        "there are no readable segments or baselines here", remedy: "check the path")
    }
    guard names.count == 1 else {
      let list = names.sorted().map { $0.debugDescription }.joined(separator: ", ")
      throw InspectionError(
        "these are the logs of several databases: \(list)",
        remedy: "give the content directory of one of them")
    }
    return try ContentName(first)
  }

  // MARK: Filling it

  private mutating func fill(
    _ logs: [PeerLog], _ segments: [LogSegment], _ owners: Set<PeerIdentity>, _ cut: MomentCut,
    _ report: (LogFinding) -> Void
  ) throws {
    let base = fileSystem.base
    let peers = owners.union(segments.map(\.header.peer))
    for peer in peers {
      try SegmentStore(content, peer: peer, using: base).makeDirectories()
    }
    for segment in segments {
      try add(segment, cut, report)
    }
    var schemas: [ManifestSchema] = []
    for log in logs {
      guard let peer = log.peer, let directory = log.directory, peers.contains(peer) else {
        continue
      }
      if let found = try addManifest(of: peer, from: directory) { schemas.append(found) }
    }
    if let newest = SharedSchema.newest(of: schemas) {
      schema = newest
    } else {
      schema = ShapeSchema(of: segments).manifest
      try addSchema()
    }
  }

  private mutating func add(
    _ segment: LogSegment, _ cut: MomentCut, _ report: (LogFinding) -> Void
  ) throws {
    let header = segment.header
    let part = cut.part(of: header)
    guard part != .none else { return }
    isEmpty = false
    let log = content.log(of: header.peer)
    if part == .all, let name = segment.name, segment.contradiction(owner: nil) == nil {
      fileSystem.show(try absolute(segment.path), as: name.description, in: log)
      return
    }
    let copy = SegmentCopy(of: segment.path, readsToEnd: false) {
      cut.includes($0, of: header.peer) ? $0 : nil
    }
    do {
      try copy.publish(in: SegmentStore(content, peer: header.peer, using: fileSystem.base))
    } catch {
      guard error is LogError || error is FileError else { throw error }
      report(LogFinding(path: segment.path, error))
    }
  }

  /// Adds the baselines that stand for what segments no longer have.
  ///
  /// - Throws: `InspectionError` if something before the cut is neither in one of them nor in a segment.
  private mutating func addBaselines(_ begin: LogBeginning, _ cut: MomentCut) throws {
    if let lack = begin.lack, begin.missing.contains(where: cut.reaches) {
      guard let later = begin.others.last else {
        throw InspectionError(lack, remedy: LogBeginning.remedy)
      }
      throw Self.begins(with: later)
    }
    beginning = begin.baseline
    usable = begin.usable
    for baseline in usable {
      let directory = content.baseline(of: baseline.file.owner)
      try fileSystem.base.makeDirectories(directory)
      fileSystem.show(
        try absolute(baseline.path), as: baseline.file.name.description, in: directory)
      isEmpty = false
    }
  }

  private func absolute(_ path: String) throws -> String {
    try fileSystem.base.resolve(path) ?? path
  }

  /// Adds a peer's manifest.
  ///
  /// - Returns: its schema; `nil` if it cannot be read: others may have one.
  private mutating func addManifest(
    of peer: PeerIdentity, from directory: String
  ) throws -> ManifestSchema? {
    let path = try absolute(directory.appending(component: PeerManifest.fileName))
    guard try fileSystem.status(path) != nil else { return nil }
    fileSystem.show(path, as: PeerManifest.fileName, in: content.peer(peer))
    // Importing finds the unreadable manifest too, and ignores it. If no manifest can be read, the tables are
    // made from the logs.
    return try? PeerManifest.read(of: peer, in: content, using: fileSystem)?.schema
  }

  /// Adds a peer that provides only the schema.
  private func addSchema() throws {
    var generator = SystemRandomNumberGenerator()
    let peer = PeerIdentity.random(using: &generator)
    try SegmentStore(content, peer: peer, using: fileSystem.base).makeDirectories()
    try PeerManifest(
      peer: peer, name: "", content: content.name, sequence: .zero, receipt: Knowledge(),
      schema: schema
    ).publish(in: content, using: fileSystem.base)
  }

  /// Returns the finding for a file that could not be imported, under the file's real path.
  func finding(_ path: String, _ reason: String) -> LogFinding {
    let repeated = path + " "
    return LogFinding(
      foreign: fileSystem.place(path),
      message: reason.hasPrefix(repeated) ? String(reason.dropFirst(repeated.count)) : reason)
  }

  /// Returns a text about baselines, with the real paths of the files.
  func original(_ text: String) -> String {
    usable.reduce(text) { text, baseline in
      let directory = content.baseline(of: baseline.file.owner)
      let shown = directory.appending(component: baseline.file.name.description)
      return text.replacing(shown, with: baseline.path)
    }
  }

  /// The path for a database that belongs to it, outside the container: databases are never in containers.
  var databasePath: String { directory.path.appending(component: "store.sqlite") }

  /// Removes the container and its database.
  func remove() { directory.remove() }
}
