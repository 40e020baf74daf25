import Synchronization
import TributaryContainer
import TributaryCore
import TributaryLog

/// The times of transactions, from the segments that contain them. Each segment is read once, as long as it
/// is asked for.
final class SegmentTimes: Sendable {
  private struct File: Hashable {
    var peer: PeerIdentity
    var name: SegmentName
  }

  /// The first and last times of segments, and all times of those that were read.
  private struct State {
    var ends = LimitedMemory<File, (first: HybridTime, last: HybridTime)>(limit: 10_000)
    /// The first and last times that an earlier session has noted.
    var noted: [PeerIdentity: [PeerNotes.Ends]] = [:]
    /// The times that this look has asked for, and those that only the previous look has asked for.
    var all: [File: [HybridTime]] = [:]
    var earlier: [File: [HybridTime]] = [:]
    /// The number of times in `all`.
    var count = 0
    /// How many headers were read.
    var headerCount = 0

    func ends(of file: File) -> (first: HybridTime, last: HybridTime)? {
      if let known = ends[file] { return known }
      return noted[file.peer]?.first { $0.name == file.name }.map { ($0.first, $0.last) }
    }

    mutating func times(of file: File) -> [HybridTime]? {
      if let known = all[file] { return known }
      guard let known = earlier.removeValue(forKey: file) else { return nil }
      note(known, for: file)
      return known
    }

    mutating func note(_ times: [HybridTime], for file: File) {
      if count + times.count > SegmentTimes.limit {
        all.removeAll()
        count = 0
      }
      all[file] = times
      count += times.count
    }
  }

  private let vanishing: Vanishing
  private let state = Mutex(State())

  /// Knows nothing yet.
  ///
  /// - Parameter vanishing: notes when a listed segment cannot be found.
  init(_ vanishing: Vanishing) { self.vanishing = vanishing }

  /// The largest number of transactions that a look remembers.
  private static let limit = 1_000_000

  /// Begins a look at all logs, and forgets the times that the last one has not asked for. A segment's times
  /// are asked for only while other segments contain the same transactions.
  func beginLook() {
    state.withLock { state in
      state.earlier = state.all
      state.all = [:]
      state.count = 0
    }
  }

  /// Returns the time of a transaction.
  ///
  /// - Returns: `nil` if the segment cannot be read, or does not contain the transaction.
  /// - Complexity: the first and the last time are in the header. For others, the segment is read.
  func time(
    of sequence: SequenceNumber, in name: SegmentName, _ segments: SegmentStore
  ) -> HybridTime? {
    time(of: sequence, in: name, of: segments.peer, segments)
  }

  /// Returns the time of a transaction. Usually, the segments are not needed for it.
  func time(
    of sequence: SequenceNumber, in name: SegmentName, of peer: PeerIdentity,
    _ segments: @autoclosure () -> SegmentStore
  ) -> HybridTime? {
    guard name.first <= sequence, sequence <= name.last else { return nil }
    let file = File(peer: peer, name: name)
    if sequence == name.first || sequence == name.last {
      guard let ends = ends(of: file, segments()) else { return nil }
      return sequence == name.first ? ends.first : ends.last
    }
    guard let times = times(of: file, segments()) else { return nil }
    let index = Int(clamping: sequence.rawValue - name.first.rawValue)
    return times.indices.contains(index) ? times[index] : nil
  }

  /// Returns the times of all transactions of a segment; `nil` if it cannot be read.
  func all(in name: SegmentName, _ segments: SegmentStore) -> [HybridTime]? {
    times(of: File(peer: segments.peer, name: name), segments)
  }

  /// Whether the time of a transaction is known without reading the segment.
  func isKnown(_ sequence: SequenceNumber, in name: SegmentName, of peer: PeerIdentity) -> Bool {
    let file = File(peer: peer, name: name)
    let isEnd = sequence == name.first || sequence == name.last
    return state.withLock { state in
      isEnd
        ? state.ends(of: file) != nil : state.all[file] != nil || state.earlier[file] != nil
    }
  }

  /// How many headers were read.
  var headerCount: Int { state.withLock { $0.headerCount } }

  /// Remembers the times that an earlier session has read.
  func take(_ notes: PeerNotes) {
    let noted = notes.entries.map { ($0.peer, $0.ends) }
    state.withLock { $0.noted = Dictionary(noted, uniquingKeysWith: { first, _ in first }) }
  }

  /// Adds the times that are known of the newest segments of each peer that has an entry.
  func note(of listing: ContentListing, in notes: inout PeerNotes) {
    state.withLock { state in
      let segments = Dictionary(
        listing.peers.map { ($0.peer, $0.segments) }, uniquingKeysWith: { first, _ in first })
      for index in notes.entries.indices {
        let peer = notes.entries[index].peer
        var newest: [PeerNotes.Ends] = []
        for segment in (segments[peer] ?? []).reversed() where newest.count < PeerNotes.mostEnds {
          guard let ends = state.ends(of: File(peer: peer, name: segment.name)) else { continue }
          newest.append(.init(name: segment.name, first: ends.first, last: ends.last))
        }
        notes.entries[index].ends = newest.reversed()
      }
    }
  }

  private func ends(
    of file: File, _ segments: @autoclosure () -> SegmentStore
  ) -> (first: HybridTime, last: HybridTime)? {
    if let known = state.withLock({ $0.ends(of: file) }) { return known }
    guard let header = read({ try segments().header(of: file.name) }) else { return nil }
    let ends = (header.firstTime, header.lastTime)
    state.withLock { state in
      state.ends.note(ends, for: file)
      state.headerCount += 1
    }
    return ends
  }

  private func times(of file: File, _ segments: SegmentStore) -> [HybridTime]? {
    if let known = state.withLock({ $0.times(of: file) }) { return known }
    let times: [HybridTime]? = read {
      var reader = try SegmentReader(source: try segments.open(file.name))
      var times: [HybridTime] = []
      while let transaction = try reader.nextTransaction() { times.append(transaction.time) }
      return times
    }
    if let times { state.withLock { $0.note(times, for: file) } }
    return times
  }

  private func read<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      // A damaged segment proves nothing. The import that reads it reports it.
      vanishing.note(error)
      return nil
    }
  }
}
