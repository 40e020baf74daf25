import Synchronization
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// When a session reads the notes of an earlier one, and when it writes its own: each once.
final class NotesTurn: Sendable {
  private let hasBegun = Atomic(false)
  private let hasEnded = Atomic(false)

  /// Whether the notes should be read. True once.
  func isFirst() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }

  /// Whether notes should be written. True once, after the first.
  func isLast() -> Bool {
    hasBegun.load(ordering: .relaxed) && !hasEnded.exchange(true, ordering: .relaxed)
  }
}

/// Lets one session note for the next one what it has found out about many peers.
extension SyncSession {
  /// Looks at the container, the first time with the notes of an earlier session. What has changed without a trace
  /// is noticed on the next day.
  ///
  /// - Parameter seen: what was seen there a moment ago.
  func look(_ exchange: inout Exchange, _ seen: ContainerLook?) throws {
    if memory.turn.isFirst() {
      // If the notes cannot be read, the session lists and reads everything, as it does without notes.
      if case .blob(let bytes)? = try? Settings(exchange.connection)[.notes],
        try !isDayNew(exchange.connection), recordsChanges(exchange),
        let notes = PeerNotes(reading: bytes, in: exchange.directory)
      {
        memory.listings.take(notes, in: exchange.directory)
        memory.manifests.take(notes)
        memory.times.take(notes)
      }
    }
    try exchange.look(seen)
  }

  /// Makes the store keep notes, once in a session, if there was much that they could have said.
  func keepNotes(_ exchange: Exchange) {
    guard memory.turn.isLast() else { return }
    let count = exchange.listing.peers.count
    let found = max(
      memory.listings.listedCount, memory.manifests.readCount, memory.times.headerCount)
    guard count >= environment.fewestMarkedPeers,
      found >= max(environment.fewestMarkedPeers, count / PeerNotes.share), recordsChanges(exchange)
    else { return }
    var notes = PeerNotes()
    for peer in exchange.listing.peers where peer.peer != exchange.own {
      notes.entries[peer.peer] = PeerNotes.Entry()
    }
    memory.listings.note(in: &notes)
    memory.manifests.note(in: &notes)
    memory.times.note(of: exchange.listing, in: &notes)
    let settings = Settings(exchange.connection)
    let value = Value.blob(notes.bytes)
    // Notes that cannot be read or kept cost only time: the next session lists and reads everything.
    if (try? settings[.notes]) != value { try? settings.set(.notes, value) }
  }

  /// Whether the container is on a file system that records each change. Such a file system is this machine's
  /// own, so the identity of a file there is lasting.
  private func recordsChanges(_ exchange: Exchange) -> Bool {
    environment.recordsChanges(in: exchange.directory.peers)
  }
}
