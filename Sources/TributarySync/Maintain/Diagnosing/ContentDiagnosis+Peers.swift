import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay

/// Examines the progress of the peers.
extension ContentDiagnosis {
  // MARK: What is missing here

  /// Examines whether all transactions are here that are known to be published.
  func deliveries(_ findings: inout Findings) throws {
    let result = try logs.get().result
    for gap in result.gaps where !hasReturned(gap.peer) {
      findings.warn(
        .gap, peer: gap.peer, path: directory.log(of: gap.peer),
        "no intact file here has \(PeerText.transactions(gap.missing)) of \(peerText(gap.peer)), and later ones "
          + "are here: those wait",
        remedy: remedyForLoss(of: gap.peer, isDamaged: hasFile(with: gap.missing, of: gap.peer)))
    }
    let forgotten = result.beginnings.first?.horizon ?? Knowledge()
    let claims = claims(result, byGone: false)
    for (peer, claim) in claims.sorted(by: { $0.key < $1.key }) where !hasReturned(peer) {
      let present = max(present(peer), forgotten[peer])
      guard claim.last > present else { continue }
      findings.warn(
        .undelivered, peer: peer, path: directory.log(of: peer),
        "the carrier has not delivered \(PeerText.transactions(claim.last.rawValue - present.rawValue)) of "
          + "\(peerText(peer)): here they end with \(present), and \(claim.source) has them up to \(claim.last)",
        remedy: remedyForLoss(of: peer))
    }
    for (peer, claim) in self.claims(result, byGone: true).sorted(by: { $0.key < $1.key })
    where !hasReturned(peer) {
      let present = max(present(peer), forgotten[peer], claims[peer]?.last ?? .zero)
      guard claim.last > present else { continue }
      findings.note(
        .undelivered, peer: peer, path: directory.log(of: peer),
        "nobody has \(PeerText.transactions(claim.last.rawValue - present.rawValue)) of \(peerText(peer)) any more: "
          + "here they end with \(present), and only a store that is gone had them up to \(claim.last)",
        remedy:
          "nothing needs to be done; if another copy of the container has the files, bring them back"
      )
    }
  }

  /// Whether a store came back from an identity by a horizon. If so, its log is below that horizon or was
  /// issued again, and no store waits for any of it.
  private func hasReturned(_ peer: PeerIdentity) -> Bool {
    readable.contains { $0.former[peer] != nil && $0.horizon?.obeyed != nil }
  }

  /// Whether there is a file whose name says that it contains any of these transactions.
  private func hasFile(with range: ClosedRange<SequenceNumber>, of peer: PeerIdentity) -> Bool {
    listing.peers.first { $0.peer == peer }?.segments.contains {
      $0.name.first <= range.upperBound && range.lowerBound <= $0.name.last
    } ?? false
  }

  /// - Parameter isDamaged: whether the files are here but not as they were written: a synchronisation may
  ///   take these for whole.
  private func remedyForLoss(of peer: PeerIdentity, isDamaged: Bool = false) -> String {
    if peer == own {
      return isDamaged ? Remedy.reseed : Remedy.sync + ", which publishes again what is missing"
    }
    if gone.contains(peer) {
      return
        "nobody publishes it again, because its store has left that identity for another or is gone: "
        + Remedy.lostIdentity
    }
    return isDamaged ? Remedy.theirReseed : Remedy.lostLog
  }

  /// Returns the last known transaction of each peer, and which peer knows it, as a phrase.
  ///
  /// - Parameter areGone: whether to ask the peers that are gone, or the others.
  private func claims(
    _ result: LogVerification.Result, byGone areGone: Bool
  ) -> [PeerIdentity: (last: SequenceNumber, source: String)] {
    var claims: [PeerIdentity: (last: SequenceNumber, source: String)] = [:]
    func add(
      _ peer: PeerIdentity, _ last: SequenceNumber, by knower: PeerIdentity,
      _ source: @autoclosure () -> String
    ) {
      if isWithdrawn(last, of: peer) || gone.contains(knower) != areGone { return }
      if last > claims[peer]?.last ?? .zero { claims[peer] = (last, source()) }
    }
    for manifest in readable {
      add(manifest.peer, manifest.sequence, by: manifest.peer, "its own peer.json")
    }
    // What an identity that was left knew is issued again, by its store or by the author.
    for manifest in readable where !hasReturned(manifest.peer) {
      for entry in manifest.receipt.entries {
        add(entry.peer, entry.sequence, by: manifest.peer, peerText(manifest.peer))
      }
    }
    for unknown in result.unknown where !hasReturned(unknown.knower) {
      add(
        unknown.peer, unknown.last, by: unknown.knower,
        "\(peerText(unknown.knower)), by its transactions,")
    }
    return claims
  }

  // MARK: What is missing elsewhere

  /// The manifests of the other devices that still exist, and of which it is known what they have: the
  /// baseline above whose horizon they state it may be missing. Other findings cover the examined store.
  private var others: [PeerManifest] {
    readable.filter { $0.peer != own && !gone.contains($0.peer) && $0.receiptHorizon == nil }
  }

  /// A peer that lacks something that is here.
  private struct Lag {
    var peer: PeerIdentity
    var missing: UInt64 = 0
    /// Approximately since when the first transaction that it lacks has been here, in milliseconds since
    /// 1970.
    var since = UInt64.max
  }

  /// Examines which peers have not imported everything that is here: every device states in its `peer.json`
  /// what it has.
  func receipts(_ findings: inout Findings) throws {
    let lags = try lags()
    guard let since = lags.map(\.since).min() else { return }
    // At most this many peers are named.
    let limit = 5
    let peers = lags.prefix(limit).map { lag in
      "\(peerText(lag.peer)) lacks \(PeerText.transactions(lag.missing))"
    }.joined(separator: ", ")
    let more = lags.count > limit ? ", and \(lags.count - limit) more lack some" : ""
    findings.note(
      .behind, peer: lags.count == 1 ? lags[0].peer : nil,
      path: lags.count == 1 ? directory.manifest(of: lags[0].peer) : directory.peers,
      "\(peers)\(more), since \(Timestamp.text(milliseconds: since))",
      remedy:
        "nothing needs to be done while a device is off or its carrier is at work; otherwise run "
        + "`tributary doctor` there")
  }

  /// Returns the lags, the longest first.
  private func lags() throws -> [Lag] {
    // In milliseconds: a younger receipt may simply not have come back yet.
    let patience: UInt64 = 15 * 60_000
    let now = environment.clock.milliseconds()
    let segments = try logs.get().result.segments
    var lags: [Lag] = []
    for manifest in others {
      var lag = Lag(peer: manifest.peer)
      for peer in listing.peers.map(\.peer) where peer != manifest.peer && !hasReturned(peer) {
        let present = present(peer)
        let known = manifest.receipt[peer]
        // No store waits for the rest of a former identity.
        guard known < present, !isWithdrawn(known.next, of: peer) else { continue }
        lag.missing += present.rawValue - known.rawValue
        lag.since = min(lag.since, arrival(of: known.next, of: peer, segments, now))
      }
      guard lag.missing > 0, now >= lag.since, now - lag.since >= patience else { continue }
      lags.append(lag)
    }
    return lags.sorted { ($0.since, $0.peer) < ($1.since, $1.peer) }
  }

  /// Returns approximately when a transaction, or the next one, was in the container: when its file was
  /// written or, if a carrier has set that time to an impossible value, the time of the file's last
  /// transaction.
  private func arrival(
    of sequence: SequenceNumber, of peer: PeerIdentity, _ segments: [LogSegment], _ now: UInt64
  ) -> UInt64 {
    segments.filter { $0.header.peer == peer && $0.header.last >= sequence }.map { segment in
      // An unknown status proves nothing.
      let file = (try? environment.fileSystem.status(segment.path)) ?? nil
      let modified = file?.modifiedMilliseconds ?? .max
      return modified <= now ? modified : segment.header.lastTime.milliseconds
    }.min() ?? now
  }

  /// Examines which peers have given no sign for a long time: no peer has heard that they know what was
  /// written then.
  func silence(_ findings: inout Findings) throws {
    let days: UInt64 = 30
    // No store waits for the rest of a former identity.
    let segments = try logs.get().result.segments.map(\.header).filter { !hasReturned($0.peer) }
    let now = environment.clock.milliseconds()
    for manifest in others {
      let last = segments.filter { $0.peer == manifest.peer }.map(\.lastTime).max()
      // Adopted rows have no time.
      let unknown = segments.filter {
        $0.peer != manifest.peer && $0.lastTime > .zero && manifest.receipt[$0.peer] < $0.last
          && !isWithdrawn(manifest.receipt[$0.peer].next, of: $0.peer)
      }.map(\.lastTime).min()
      guard let unknown, last.map({ $0 < unknown }) ?? true, now > unknown.milliseconds,
        now - unknown.milliseconds > days * 86_400_000
      else { continue }
      findings.warn(
        .silent, peer: manifest.peer, path: directory.manifest(of: manifest.peer),
        "\(peerText(manifest.peer)) has not said for over \(days) days that it has what others wrote at "
          + Timestamp.text(milliseconds: unknown.milliseconds),
        remedy:
          "switch it on, and run `tributary doctor` there if it stays behind; or run `tributary peers retire` if it is gone"
      )
    }
  }

  // MARK: Clocks

  /// In milliseconds: the clocks of devices that set them by the network differ by less than this.
  static let clockTolerance: UInt64 = 60_000

  /// Examines whether stamps are in the future. Then another clock is ahead, or this one is behind.
  func stamps(_ findings: inout Findings) throws {
    let now = environment.clock.milliseconds()
    var latest: [PeerIdentity: HybridTime] = [:]
    // A store's own examination reports more about its own stamps.
    for header in try logs.get().result.segments.map(\.header) where header.peer != own {
      latest[header.peer] = max(latest[header.peer] ?? .zero, header.lastTime)
    }
    for (peer, time) in latest.sorted(by: { $0.key < $1.key })
    where time.milliseconds > now + Self.clockTolerance {
      findings.warn(
        .clock, peer: peer,
        "\(peerText(peer)) has written at \(Timestamp.text(milliseconds: time.milliseconds)), "
          + "\(Self.duration(time.milliseconds - now)) after the present time of this device, "
          + "\(Timestamp.text(milliseconds: now)): the clock there is or was ahead, or this one is behind",
        remedy:
          "set both clocks right; nothing is lost, but until then writes there win over later ones here, "
          + "and what is written from now on has stamps after that")
    }
  }

  /// Returns a duration in a suitable unit.
  static func duration(_ milliseconds: UInt64) -> String {
    let seconds = milliseconds / 1000
    return switch seconds {
    case 0..<120: "\(seconds) seconds"
    case 120..<7200: "\(seconds / 60) minutes"
    case 7200..<172_800: "\(seconds / 3600) hours"
    default: "\(seconds / 86_400) days"
    }
  }
}
