import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// Lets one session note for the next one what it has found out about many peers.
extension SyncSession {
  /// Looks at the container, the first time with the notes of an earlier session. What has changed without a trace
  /// is noticed on the next day at the latest, and a manifest that was written over in its place usually within
  /// about eight sessions.
  ///
  /// - Parameters:
  ///   - seen: what was seen there a moment ago.
  ///   - quiet: what the first look of the session has seen.
  func look(
    _ exchange: inout Exchange, _ seen: ContainerLook?, _ quiet: inout QuietLook?
  ) throws {
    if memory.notesTurn.isFirst() {
      // If the notes cannot be read, the session lists and reads everything, as it does without notes.
      if case .blob(let bytes)? = try? Settings(exchange.connection)[.notes],
        try !isDayNew(exchange.connection), recordsChanges(exchange),
        let notes = PeerNotes(reading: bytes, in: exchange.directory)
      {
        // What is in a segment of a name never changes.
        memory.times.take(notes)
        if quiet?.isWhole != true {
          memory.listings.take(
            notes, in: exchange.directory,
            share: quiet?.share ?? Int(environment.randomness() % UInt64(QuietMark.shareCount)))
          memory.manifests.take(notes)
        }
      }
    }
    let statuses = try exchange.look(seen, quiet?.stamps)
    // A mark needs every status. If one cannot be read, the session leaves no mark; reading that manifest reports why.
    quiet?.statuses = try? statuses.map { try $0.get() }
  }

  /// Makes the store keep notes, once in a session, if there was much that they could have said.
  func keepNotes(_ exchange: Exchange) {
    guard memory.notesTurn.isLast() else { return }
    let count = exchange.listing.peers.count
    let found = max(
      memory.listings.listedCount, memory.manifests.readCount, memory.times.headerCount)
    guard count >= environment.fewestRememberedPeers,
      memory.listings.hasUntraced
        || found >= max(environment.fewestRememberedPeers, count / PeerNotes.share),
      recordsChanges(exchange)
    else { return }
    var notes = PeerNotes(
      entries: exchange.listing.peers.map(\.peer).filter { $0 != exchange.own }
        .map { PeerNotes.Entry($0) })
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
