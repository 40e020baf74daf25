import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryReplay

/// Which peers have not imported everything that is here: every device states in its `peer.json`
/// what it has.
struct ReceiptExamination: Examination {
  let content: ContentSubject

  let subject = "the receipts of the peers"

  /// In milliseconds: a younger receipt may simply not have come back yet.
  private static let patience: UInt64 = 15 * 60_000

  /// A peer that lacks something that is here.
  private struct Lag {
    var peer: PeerIdentity
    var missing: UInt64
    /// The time of the first transaction that it lacks, in milliseconds since 1970.
    var since: UInt64
  }

  func examine(_ findings: inout [Finding]) throws {
    let lags = try lags()
    guard let since = lags.map(\.since).min() else { return }
    let text = content.peerText
    let peers = lags.prefix(Self.limit).map { lag in
      "\(text(lag.peer)) lacks \(PeerText.transactions(lag.missing))"
    }.joined(separator: ", ")
    let others = lags.count > Self.limit ? ", and \(lags.count - Self.limit) more lack some" : ""
    findings.append(
      Finding(
        .behind, .note, peer: lags.count == 1 ? lags[0].peer : nil,
        path: lags.count == 1
          ? content.directory.manifest(of: lags[0].peer) : content.directory.peers,
        "\(peers)\(others), since \(Timestamp.text(milliseconds: since))",
        remedy:
          "nothing need be done while a device is off or its carrier is at work; otherwise run "
          + "`tributary doctor` there"))
  }

  /// At most this many peers are named.
  private static let limit = 5

  /// Returns the lags, the longest first.
  private func lags() throws -> [Lag] {
    let gone = content.gone
    let now = content.environment.clock.milliseconds()
    let segments = try content.logs.get().result.segments
    var lags: [Lag] = []
    // The findings about waiting and not imported transactions cover this store.
    for manifest in content.readable
    where manifest.peer != content.own && !gone.contains(manifest.peer) {
      var lag = Lag(peer: manifest.peer, missing: 0, since: .max)
      for peer in content.listing.peers where peer.peer != manifest.peer {
        let present = content.present(peer.peer)
        let known = manifest.receipt[peer.peer]
        // Nobody waits for the rest of a former identity.
        guard known < present, !content.isWithdrawn(known.next, of: peer.peer) else { continue }
        lag.missing += present.rawValue - known.rawValue
        lag.since = min(lag.since, since(known.next, of: peer.peer, segments))
      }
      guard lag.missing > 0, now >= lag.since, now - lag.since >= Self.patience else { continue }
      lags.append(lag)
    }
    return lags.sorted { ($0.since, $0.peer) < ($1.since, $1.peer) }
  }

  /// Returns about when the first of the missing transactions was in the container: when its file was written
  /// or, if a carrier has set that to an impossible time, the time of its last transaction.
  private func since(
    _ sequence: SequenceNumber, of peer: PeerIdentity, _ segments: [LogSegment]
  ) -> UInt64 {
    let now = content.environment.clock.milliseconds()
    let times = segments.filter {
      $0.header.peer == peer && $0.header.last >= sequence
    }.map { segment in
      // An unknown status proves nothing.
      let file = (try? content.environment.fileSystem.status(segment.path)) ?? nil
      let modified = file?.modifiedMilliseconds ?? .max
      return modified <= now ? modified : segment.header.lastTime.milliseconds
    }
    return times.min() ?? now
  }
}
