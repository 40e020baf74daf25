package import TributaryContainer
package import TributaryCore
internal import TributaryFiles
package import TributaryLog

/// The transactions of one peer, from its segments in the container.
///
/// Segments may overlap, exist twice, be cut short or be missing. A damaged one is set aside, and
/// another one with the same transactions replaces it, if there is one. The same holds for a
/// segment that has gone since it was listed, which is no damage: its author compacts its log.
package final class SegmentStream: TransactionStream {
  package let peer: PeerIdentity
  package private(set) var head: TransactionHeader?

  /// The files that were set aside.
  package private(set) var damaged: [(path: String, reason: String)] = []

  /// Why the stream ends here although more may come: the container does not answer.
  package private(set) var failure: ContainerError?

  /// A missing sequence although later transactions are here, and the first of those.
  package private(set) var gap: (missing: SequenceNumber, present: SequenceNumber)?

  private let segments: SegmentStore
  private var candidates: SegmentCandidates
  private let corrections: [KnowledgeCorrection]
  private let last: SequenceNumber
  private var next: SequenceNumber
  // Only this class accesses it, and nothing that it calls comes back here.
  @exclusivity(unchecked) private var reader: SegmentReader<SegmentFileSource>?
  private var file: SegmentFile?
  private let verified: VerifiedSegments
  private let readAhead: ReadAhead?
  private let relist: Relist?
  /// Files that were gone, and whether any has gone since the last listing.
  private var gone: Set<SegmentName> = []
  package private(set) var hasLost = false

  /// Lists the segments of a peer again; returns none if they cannot be determined now.
  package typealias Relist = (PeerIdentity) throws -> [SegmentFile]

  /// Makes a stream.
  ///
  /// - Parameter last: the last transaction; later ones are left out.
  /// - Parameter readAhead: reads what comes next; `segments` then reads through it.
  /// - Parameter relist: called if a listed file has gone and no other has its transactions.
  package init(
    _ listing: PeerListing, segments: SegmentStore, after known: SequenceNumber,
    upTo last: SequenceNumber = .max, verified: VerifiedSegments, readAhead: ReadAhead? = nil,
    relist: Relist? = nil
  ) throws {
    peer = listing.peer
    corrections = listing.corrections
    self.relist = relist
    self.segments = segments
    self.verified = verified
    self.readAhead = readAhead
    self.last = last
    candidates = SegmentCandidates(listing.segments)
    next = known.next
    try advance()
  }

  package func shape(_ id: UInt32) -> TableShape {
    guard let shape = reader?.shape(id) else { preconditionFailure("a head comes from a reader") }
    return shape
  }

  /// The number of files opened, since shapes have different numbers in each.
  package private(set) var generation = 0

  /// The file that is being read.
  package var path: String? { file?.path }

  package func nextChange() throws -> ChangeView? {
    try reader?.nextChange()
  }

  /// Releases the memory that a large change took.
  package func trim() { reader?.trim() }

  package func advance() throws {
    head = nil
    guard next <= last else { return }
    while failure == nil {
      do {
        if let header = try nextHeader() {
          head = corrections.corrected(header, of: peer)
          next = header.sequence.next
          return
        }
        if !openNext() { return }
      } catch {
        setAside(error)
      }
    }
  }

  private func nextHeader() throws -> TransactionHeader? {
    while let header = try reader?.nextTransaction() {
      if header.sequence >= next { return header }
    }
    reader = nil
    return nil
  }

  /// Opens the segment with the next transaction.
  ///
  /// - Returns: `false` if there is none.
  private func openNext() -> Bool {
    while failure == nil {
      if let file { readAhead?.release(file) }
      candidates.pass(before: next)
      guard let file = candidates.furthest(with: next) else {
        if listAgain() { continue }
        if let later = candidates.first(after: next), later <= last { gap = (next, later) }
        return false
      }
      self.file = file
      do {
        readAhead?.prepare(file)
        // The file must be complete and intact before anything of it is applied.
        try verified.verify(file.name, in: segments)
        reader = try SegmentReader(source: try segments.open(file.name))
        generation += 1
        if let readAhead {
          let following = candidates.following(
            file.name.last, upTo: last, count: ReadAhead.reach)
          readAhead.begin(following, in: segments)
        }
        return true
      } catch {
        setAside(error)
      }
    }
    return false
  }

  private func setAside(_ error: any Error) {
    reader = nil
    if let error = error as? ContainerError, error.code == .unresponsive {
      // That says nothing about this file.
      failure = error
      return
    }
    guard let file else { return }
    candidates.remove(file.name)
    if isGone(file.name, error) {
      gone.insert(file.name)
      hasLost = true
    } else {
      damaged.append((file.path, "\(error)"))
    }
  }

  private func isGone(_ name: SegmentName, _ error: any Error) -> Bool {
    if let error = error as? ContainerError, error.code == .missingFile { return true }
    // Network file systems report other errors for a file that was removed while it was read.
    do {
      return try segments.status(of: name) == nil
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
    let left = candidates.names.union(
      damaged.compactMap {
        SegmentName($0.path.lastPathComponent)
      }
    ).union(gone)
    // If the listing fails, the stream ends here, and the next synchronisation looks again.
    let more = ((try? relist(peer)) ?? []).filter {
      $0.name.last >= next && !left.contains($0.name)
    }
    candidates.add(more)
    return !more.isEmpty
  }
}
