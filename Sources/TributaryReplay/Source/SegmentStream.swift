package import TributaryContainer
package import TributaryCore
package import TributaryFiles
package import TributaryLog

/// The transactions of one peer, from files that may overlap, exist twice, be cut short or be missing.
///
/// A damaged file is set aside, and another file with the same transactions replaces it, if there is one. The
/// same holds for a file that has gone since it was listed; that is not damage, since its author is
/// compacting its log.
package final class SegmentStream: TransactionStream {
  package let peer: PeerIdentity
  // Only this class accesses the state below for each transaction, and nothing that it calls comes back here;
  // checking that would cost as much as reading a small transaction.
  @exclusivity(unchecked) package private(set) var head: TransactionHeader?
  @exclusivity(unchecked) package private(set) var stamp: Stamp?

  /// Where the head is read: in one file or, if all files are read, in each file that has a transaction with
  /// this sequence number.
  @exclusivity(unchecked) package private(set) var copies: [SegmentCursor] = []

  /// The verified files that were set aside.
  package private(set) var damaged: [(path: String, reason: String)] = []

  /// Why there may be more transactions than the stream has: the container does not answer, or this device
  /// may not read a file that other devices can read.
  package var failure: ContainerError? { stop ?? unread.first?.error }
  /// Why the stream ends here, if all files would fail in the same way.
  @exclusivity(unchecked) private var stop: ContainerError?
  /// The files that this device may not read, and the reason for each.
  private var unread: [(file: SourceFile, error: ContainerError)] = []

  /// A missing sequence number although later transactions are here, and the first of those.
  package private(set) var gap: (missing: SequenceNumber, present: SequenceNumber)?

  /// A transaction whose author's knowledge cannot be determined, and the declaration above whose horizon it
  /// is written, which no baseline here has.
  package var unresolved: (sequence: SequenceNumber, declaration: UInt64)? {
    guard head == nil else { return nil }
    return leftUnresolved.first { $0.file.first <= next && next <= $0.file.last }
      .map { (next, $0.declaration) }
  }

  /// Why the stream ends here, unless it is because there is nothing more.
  package var obstacle: ContainerError? {
    failure
      ?? unresolved.flatMap { unresolved in
        leftUnresolved.first { $0.declaration == unresolved.declaration }.map {
          ContainerError.unknown($0.declaration, $0.file.path)
        }
      }
  }

  /// The number of files opened, since shapes have different numbers in each.
  @exclusivity(unchecked) package private(set) var generation = 0

  /// Whether any file has gone since the last listing.
  package private(set) var hasLost = false

  /// Which files are read, and when their transactions count.
  private enum Mode {
    /// A file must be complete and intact before any of its transactions count. If several files have a
    /// transaction, the one that reaches furthest is read.
    case verifying(ReadAhead.Verification)
    /// Files count as far as they can be read. All files are read, so that copies of a transaction can be
    /// compared.
    case comparing(hashing: Bool, report: (LogFinding) -> Void)
  }

  private let mode: Mode
  private let horizons: KnownHorizons
  private let fileSystem: any FileSystem
  private var files: SourceFiles
  private let corrections: [KnowledgeCorrection]
  private let last: SequenceNumber
  @exclusivity(unchecked) private var next: SequenceNumber
  /// The files that are being read; each has a current transaction.
  @exclusivity(unchecked) private var open: [SegmentCursor] = []
  private let readAhead: ReadAhead?
  private let relist: (() throws -> [SourceFile])?
  /// The paths of files that were damaged or are gone, or whose horizon is not known.
  private var left: Set<String> = []
  /// The files whose horizon is not known.
  private var leftUnresolved: [(file: SourceFile, declaration: UInt64)] = []
  private var finishedByteCount: UInt64 = 0

  /// Lists the segments of a peer again; returns none if they cannot be determined now.
  package typealias Relist = (PeerIdentity) throws -> [SegmentFile]

  /// Makes a stream of segments that are verified before they are used.
  ///
  /// - Parameter last: the last transaction; later ones are left out.
  /// - Parameter readAhead: reads what comes next; `segments` then reads through it.
  /// - Parameter relist: called if a listed file is gone and no other file has its transactions.
  package init(
    _ listing: PeerListing, segments: SegmentStore, after known: SequenceNumber,
    upTo last: SequenceNumber = .max, verified: VerifiedSegments, readAhead: ReadAhead? = nil,
    relist: Relist? = nil
  ) {
    let peer = listing.peer
    self.peer = peer
    mode = .verifying { file in
      if let name = file.name { try verified.verify(name, in: segments) }
    }
    fileSystem = segments.fileSystem
    horizons = segments.horizons
    files = SourceFiles(listing, after: known)
    corrections = listing.corrections
    self.last = last
    next = known.next
    self.readAhead = readAhead
    self.relist = relist.map { relist in { try relist(peer).map { SourceFile($0) } } }
    settle()
  }

  /// Makes a stream of files as they are found.
  ///
  /// - Parameter segments: files of one peer.
  /// - Parameter hashing: whether to compare their contents with the hashes in their names.
  /// - Parameter horizons: the horizons that are known without the baselines beside the segments.
  /// - Parameter report: receives each finding.
  package init(
    comparing segments: [LogSegment], of peer: PeerIdentity, hashing: Bool = false,
    horizons: KnownHorizons = KnownHorizons(),
    using fileSystem: any FileSystem = LocalFileSystem(), report: @escaping (LogFinding) -> Void
  ) {
    self.peer = peer
    self.horizons = horizons
    mode = .comparing(hashing: hashing, report: report)
    self.fileSystem = fileSystem
    // Of files with the same range, the last one is the first copy.
    files = SourceFiles(segments.reversed().map { SourceFile($0) })
    corrections = []
    last = .max
    next = SequenceNumber(1)
    readAhead = nil
    var known = Set(segments.map(\.path))
    relist = {
      let directories = Set(known.map(\.parentDirectory)).sorted()
      return LogSegments.others(than: &known, in: directories, fileSystem, report: report)
        .filter { $0.header.peer == peer }.map { SourceFile($0) }
    }
    settle()
  }

  /// Returns the time of a transaction; `nil` if no intact segment of the listing has it.
  package static func time(
    of sequence: SequenceNumber, _ listing: PeerListing, segments: SegmentStore,
    verified: VerifiedSegments
  ) -> HybridTime? {
    guard sequence > .zero else { return nil }
    return SegmentStream(
      listing, segments: segments, after: SequenceNumber(sequence.rawValue - 1), upTo: sequence,
      verified: verified
    ).head?.time
  }

  package func shape(_ id: UInt32) -> TableShape {
    guard let cursor = copies.first else { preconditionFailure("a head comes from a file") }
    return cursor.shape(id)
  }

  /// The name of the schema under which the head was written.
  package var schema: String { copies.first?.schema ?? "" }

  /// The file with the head.
  package var path: String? { copies.first?.path }

  /// The number of bytes read so far.
  var byteCount: UInt64 { open.reduce(finishedByteCount) { $0 + $1.byteCount } }

  package func nextChange() throws -> ChangeView? {
    do {
      return try copies.first?.nextChange()
    } catch let error as FileError {
      throw ContainerError(error)
    }
  }

  /// Releases the memory that a large change took.
  package func trim() { copies.first?.trim() }

  package func advance() {
    for cursor in copies { step(cursor) }
    settle()
  }

  /// Skips the rest of a file that failed while its changes were read.
  package func abandon(_ cursor: SegmentCursor, _ error: any Error) {
    setAside(cursor.path, error)
    open.removeAll { $0 === cursor }
    copies.removeAll { $0 === cursor }
  }

  /// Determines the head.
  private func settle() {
    head = nil
    stamp = nil
    guard next <= last else { return }
    while stop == nil, let file = nextFile() { read(file) }
    if open.count != 1 {
      let due = due
      copies = open.filter { $0.transaction?.sequence == due }
    } else if copies.first !== open[0] || copies.count > 1 {
      copies = open
    }
    guard let transaction = copies.first?.transaction else { return }
    head = corrections.isEmpty ? transaction : corrections.corrected(transaction, of: peer)
    stamp = Stamp(time: transaction.time, peer: peer)
    next = transaction.sequence.next
  }

  private var due: SequenceNumber? { open.lazy.compactMap { $0.transaction?.sequence }.min() }

  /// Returns the file to open now; `nil` if none is needed or none is left.
  private func nextFile() -> SourceFile? {
    switch mode {
    case .verifying:
      guard open.isEmpty else { return nil }
      repeat {
        files.pass(before: next)
        if let file = files.furthest(with: next) { return file }
      } while listAgain()
      // A transaction that is here but cannot be read is not missing.
      guard !unread.contains(where: { $0.file.first <= next && next <= $0.file.last }) else {
        return nil
      }
      if let later = files.first(after: next), later <= last { gap = (next, later) }
      return nil
    case .comparing:
      let due = due
      if hasLost, due != next { _ = listAgain() }
      return files.take(upTo: due ?? .max)
    }
  }

  /// Opens a file and moves to the next transaction in it.
  private func read(_ file: SourceFile) {
    do {
      var hashing = false
      switch mode {
      case .comparing(let isWanted, _): hashing = isWanted
      case .verifying(let verify):
        readAhead?.prepare(file.path)
        try verify(file)
      }
      let cursor = try SegmentCursor(
        file.path, hashing: hashing, horizons: horizons, fileSystem)
      if let declaration = cursor.unknownHorizon, case .verifying = mode {
        // Another file may have the same transactions in a form that can be read.
        leftUnresolved.append((file, declaration))
        left.insert(file.path)
        readAhead?.release(file.path)
        files.remove(file.path)
        return
      }
      if let readAhead, case .verifying(let verify) = mode {
        let following = files.following(file.last, upTo: last, count: ReadAhead.reach)
        readAhead.begin(following, verify)
      }
      generation += 1
      open.append(cursor)
      repeat { step(cursor) } while cursor.transaction.map { $0.sequence < next } ?? false
    } catch {
      setAside(file.path, error)
    }
  }

  /// Moves to the next transaction of a file, or closes it.
  private func step(_ cursor: SegmentCursor) {
    do {
      if try cursor.advance() { return }
      finishedByteCount += cursor.byteCount
      readAhead?.release(cursor.path)
      if let hash = cursor.wrongHash, case .comparing(_, let report) = mode {
        var finding = LogFinding(
          .damaged, path: cursor.path,
          message: "its contents have the hash \(hash.lowerHex), not that of its name")
        finding.peer = peer
        report(finding)
      }
    } catch {
      setAside(cursor.path, error)
    }
    open.removeAll { $0 === cursor }
  }

  private func setAside(_ path: String, _ found: any Error) {
    let error = (found as? FileError).map { ContainerError($0) } ?? found as? ContainerError
    if case .verifying = mode, let error, error.stopsAll {
      // The error says nothing about this file.
      stop = error
      return
    }
    let isGone = isGone(path, error)
    if case .verifying = mode, let error, error.isDenied, !isGone, let file = files.file(path) {
      unread.append((file, error))
      readAhead?.release(path)
      left.insert(path)
      files.remove(path)
      return
    }
    readAhead?.release(path)
    left.insert(path)
    hasLost = hasLost || isGone
    switch mode {
    case .verifying:
      files.remove(path)
      if !isGone { damaged.append((path, "\(error ?? found)")) }
    case .comparing(_, let report):
      if !isGone { report(LogFinding(path: path, found)) }
    }
  }

  private func isGone(_ path: String, _ error: ContainerError?) -> Bool {
    // No peer compacts files elsewhere.
    guard path.parentDirectory.lastPathComponent == "log" else { return false }
    if error?.code == .missingFile { return true }
    // Network file systems report other errors if a file was removed while it was being read.
    do {
      return try fileSystem.status(path) == nil
    } catch {
      return false
    }
  }

  /// Lists the segments again.
  ///
  /// - Returns: whether there may be more now.
  private func listAgain() -> Bool {
    guard let relist, hasLost else { return false }
    hasLost = false
    let known = files.paths.union(left).union(open.map(\.path))
    // If the listing fails, the stream ends here, and the next synchronisation looks again.
    let more = ((try? relist()) ?? []).filter { $0.last >= next && !known.contains($0.path) }
    files.add(more)
    return !more.isEmpty
  }
}
