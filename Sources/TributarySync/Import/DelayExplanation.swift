import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay
import TributaryStore

/// Explains what waiting transactions lack, which devices could bring it, and what the user can do.
struct DelayExplanation {
  let own: PeerIdentity
  let listing: ContentListing
  let manifests: [PeerIdentity: PeerManifest]
  /// The identities that this store has left.
  let former: Set<PeerIdentity>
  /// Whether the store has no tables yet. They come with the `peer.json` of another device.
  let isBlank: Bool
  private let gone: Set<PeerIdentity>
  private let forgotten: ForgottenLogs
  private let holders: TransactionHolders
  private let exchange: Exchange

  init(_ exchange: Exchange) throws {
    self.exchange = exchange
    own = exchange.own
    listing = exchange.listing
    manifests = exchange.manifests.all
    // Adopted identities are left out: a device that has imported the branch publishes it again.
    gone = manifests.goneIdentities.subtracting(manifests.values.flatMap(\.adopted.keys))
    former = Set(try FormerIdentities(exchange.connection).all().map(\.peer))
    isBlank = try SchemaTables.areNone(in: exchange.connection)
    forgotten = ForgottenLogs(exchange)
    holders = TransactionHolders(exchange)
  }

  /// The text for one reason.
  struct Text {
    var explanation: String
    var remedy: String
    /// Whether no carrier can resolve it.
    var needsHelp = false
  }

  var peerText: PeerText { PeerText(own: own, names: manifests.mapValues(\.name)) }

  /// Returns one delay for each reason, in the order of the first transaction that waits for it.
  ///
  /// - Parameter sights: when the store first saw each transaction waiting.
  func delays(_ all: [Waiting], since sights: [String: UInt64], now: UInt64) -> [Delay] {
    var groups: [[Waiting]] = []
    for waiting in all {
      if let index = groups.firstIndex(where: { $0[0].reason == waiting.reason }) {
        groups[index].append(waiting)
      } else {
        groups.append([waiting])
      }
    }
    return groups.map { group in
      let since = group.compactMap { sights[$0.subject] }.min() ?? now
      let isOld = now >= since + Delay.patience
      let text = text(group, since: since, among: all)
      let age = isOld ? ", since \(Timestamp.text(milliseconds: since))" : ""
      return Delay(
        waiting: group, explanation: text.explanation + age, remedy: text.remedy,
        needsHelp: text.needsHelp || isOld, since: since)
    }
  }

  /// Whether only baselines contain transactions that others have and that are in no file here.
  func isForgotten(_ missing: UndeliveredTransactions) -> Bool {
    forgotten.has(missing.first, of: missing.author)
  }

  /// Returns the delay of transactions that others have and that are in no file here.
  func delay(
    of missing: UndeliveredTransactions, since sights: [String: UInt64], now: UInt64
  ) -> Delay {
    let since = sights[missing.subject] ?? now
    let isOld = now >= since + Delay.patience
    let others = holders.holders(of: missing.last, missing.author)
    let what = PeerText.transactions(missing.first...missing.last)
    let age = isOld ? ", since \(Timestamp.text(milliseconds: since))" : ""
    let isForgotten = isForgotten(missing)
    let verb = missing.first == missing.last ? "has" : "have"
    let place =
      isForgotten ? forgotten.whereabouts : whereabouts(missing.author, missing.last, others)
    return Delay(
      waiting: [],
      explanation: "\(what) of \(peerText(missing.author)) \(verb) not arrived: \(place)\(age)",
      remedy: isForgotten ? forgotten.remedy : remedy(missing.author, others, since: since),
      needsHelp: isOld || isForgotten && forgotten.needsMigration, since: since)
  }

  /// Returns the text for a group.
  ///
  /// - Parameters:
  ///   - group: the transactions that wait for one reason.
  ///   - since: when the store first saw it, in milliseconds since 1970; `nil` if the store has not recorded
  ///     that.
  ///   - all: everything that waits.
  func text(_ group: [Waiting], since: UInt64? = nil, among all: [Waiting]) -> Text {
    let first = group[0]
    let text = peerText
    let what =
      group.count == 1
      ? "transaction \(first.sequence) of \(text(first.peer)), and what follows it, waits"
      : "what \(group.count) peers have written, from transaction \(first.sequence) of "
        + "\(text(first.peer)) on, waits"
    switch first.reason {
    case .transaction(let peer, let sequence) where forgotten.has(sequence, of: peer):
      return Text(
        explanation: what
          + " for transaction \(sequence) of \(text(peer)), which its author knew: "
          + forgotten.whereabouts,
        remedy: forgotten.remedy, needsHelp: forgotten.needsMigration)
    case .history(let peer, let sequence) where forgotten.has(sequence, of: peer):
      return Text(
        explanation: what
          + ": merging it needs transaction \(sequence) of \(text(peer)), which has been imported before: "
          + forgotten.whereabouts,
        remedy: forgotten.remedy, needsHelp: forgotten.needsMigration)
    case .transaction(let peer, let sequence)
    where forgotten.baselineNotFollowed(with: sequence, of: peer) != nil:
      return Text(
        explanation: what
          + " for transaction \(sequence) of \(text(peer)), which its author knew: that device had agreed to forget it while "
          + "it knew nothing of this one, and only its baseline has it, which this store does not follow",
        remedy:
          "run `tributary sync` on that device, which then comes back and loses nothing; if it is lost, move its directory "
          + "\(exchange.directory.peer(peer)) out of the container, make a database of it with `tributary log replay`, and "
          + "attach that", needsHelp: isGone(peer))
    case .transaction(let peer, let sequence):
      let gone = isGone(peer)
      if peer != own, let fault = fault(of: sequence, by: peer) {
        return Text(
          explanation: what
            + " for transaction \(sequence) of \(text(peer)), which its author knew: "
            + "the file that should hold it, \(fault.path ?? ""), \(fault.finding)",
          remedy: MissingTransaction.remedy(for: fault, isGone: gone), needsHelp: gone)
      }
      if peer != own, listing.holds(sequence, of: peer) {
        let arrived = arrived(sequence, of: peer, for: first.peer, since: since, among: all)
        return Text(
          explanation: what
            + " for transaction \(sequence) of \(text(peer)), which its author knew: "
            + arrived.explanation,
          remedy: arrived.remedy, needsHelp: gone)
      }
      let others = others(with: peer, sequence)
      return Text(
        explanation: what
          + " for transaction \(sequence) of \(text(peer)), which its author knew: "
          + whereabouts(peer, sequence, others),
        remedy: remedy(peer, others, since: since), needsHelp: gone && !hasRemovedLogs(peer))
    case .history(let peer, let sequence):
      let gone = isGone(peer)
      if peer != own, let fault = fault(of: sequence, by: peer) {
        return Text(
          explanation: what
            + ": merging it needs transaction \(sequence) of \(text(peer)), which has been imported before, and its file "
            + "\(fault.path ?? "") \(fault.finding)",
          remedy: MissingTransaction.remedy(for: fault, isGone: gone), needsHelp: gone)
      }
      return Text(
        explanation: what
          + ": merging it needs transaction \(sequence) of \(text(peer)), which has been imported before and is gone "
          + "from the container" + (gone ? ", and \(Self.nobody)" : ""),
        remedy: remedy(ofImportedBy: peer, isGone: gone, since: since),
        needsHelp: gone && !hasRemovedLogs(peer))
    case .schema(let refusal):
      return isBlank
        ? Text(
          explanation: "\(what): \(refusal.message); the tables come with the peer.json of another "
            + "device",
          remedy: "wait for the carrier, and check it on that device")
        : Text(
          explanation: "\(what): \(refusal.message)",
          remedy: refusal.remedy.isEmpty
            ? "install the newer version of the application here" : refusal.remedy,
          needsHelp: true)
    case .constraint(let refusal):
      return Text(
        explanation: "\(what): a constraint of this store does not allow it: \(refusal.message)",
        remedy: refusal.remedy.isEmpty
          ? "bring the schemas of the devices in line, then run `tributary sync`" : refusal.remedy,
        needsHelp: true)
    case .fork(let sequence):
      return Text(
        explanation:
          "\(what): two stores have written as \(text(first.peer)) from transaction \(sequence) on, one of "
          + "them restored from a backup or copied",
        remedy: Remedy.fork)
    case .strayed(let former, _):
      return Text(
        explanation: what
          + ": this store has imported what a copy of the store of \(text(former)) wrote, or something that depends on "
          + "it, and that copy has issued it again under another name since",
        remedy: "run `tributary rebuild` on this store", needsHelp: true)
    case .baseline(let declaration):
      return Text(
        explanation: what
          + " for a baseline that declares the horizon \(declaration.lowerHex), above which it is written: no "
          + "baseline here does",
        remedy:
          "wait for the carrier, or run `tributary sync` on the device that wrote it; if that device is lost, the "
          + "devices that have imported it bring it by a baseline, if they synchronise in the next days"
      )
    case .fenced where isGone(first.peer):
      return Text(
        explanation: what
          + ": its author was left out of what the devices are about to forget, and not all of them have agreed yet",
        remedy:
          "run `tributary sync` on all devices, and then on the one that wrote it, which issues it again; "
          + "`tributary peers list` shows who has not agreed, and `tributary peers retire` leaves out one that is lost"
      )
    case .fenced:
      return Text(
        explanation: what
          + ": its author did not know all that the devices have agreed to forget, or are about to",
        remedy:
          "run `tributary sync` on the device that wrote it, which issues it again if need be; if that device is "
          + "lost, `tributary log show` says what it wrote, and `tributary peers retire` ends the waiting"
      )
    }
  }

  /// Whether no store writes under an identity any more: its store has left it, or was declared to be gone.
  func isGone(_ peer: PeerIdentity) -> Bool {
    former.contains(peer)
      || gone.contains(peer) || manifests.values.contains { $0.former[peer] != nil }
  }

  /// Whether a device was detached and has removed its logs. A device that has imported them brings them by a
  /// baseline, after a day.
  private func hasRemovedLogs(_ peer: PeerIdentity) -> Bool {
    manifests[peer]?.hasRemovedLogs ?? false
  }

  /// Returns what is wrong with the file that contains a transaction; `nil` if nothing is, or if that cannot
  /// be determined now.
  private func fault(of sequence: SequenceNumber, by peer: PeerIdentity) -> ContainerError? {
    let fault = MissingTransaction(sequence: sequence, peer: peer).fault(in: exchange)
    return fault?.code == .unresponsive ? nil : fault
  }

  private static let nobody =
    "nobody publishes it again, because its store has left that identity for another or is gone"

  /// Returns the other devices that have a transaction that is in no file here.
  private func others(with peer: PeerIdentity, _ sequence: SequenceNumber) -> [PeerIdentity] {
    peer == own ? [] : holders.holders(of: sequence, peer)
  }

  /// Returns what is known about a missing transaction.
  ///
  /// - Parameter others: the devices that have imported it.
  private func whereabouts(
    _ peer: PeerIdentity, _ sequence: SequenceNumber, _ others: [PeerIdentity]
  ) -> String {
    let text = whereabouts(peer, sequence)
    if others.isEmpty { return text }
    return text + "; \(list(others)) \(others.count == 1 ? "has" : "have") imported it"
  }

  /// Names some peers, and counts the rest.
  private func list(_ peers: [PeerIdentity]) -> String {
    let limit = 3
    let names = peers.prefix(limit).map { peerText($0) }.joined(separator: ", ")
    return peers.count > limit ? "\(names) and \(peers.count - limit) more" : names
  }

  private func whereabouts(_ peer: PeerIdentity, _ sequence: SequenceNumber) -> String {
    if peer == own { return "this store does not remember it" }
    if isGone(peer) { return "no file here has it, and \(Self.nobody)" }
    guard let manifest = manifests[peer] else {
      return "nothing of that device has arrived that says whether it has published it"
    }
    return manifest.sequence >= sequence
      ? "it has published it, and the carrier has not brought it"
      : "its peer.json that is here is older than that"
  }

  /// Returns what brings a missing transaction that other devices have imported.
  private func remedy(
    _ peer: PeerIdentity, _ others: [PeerIdentity], since: UInt64?
  ) -> String {
    guard let first = others.first else {
      return isGone(peer)
        ? Remedy.lostIdentity + "; if no device has it, " + Remedy.abandonedLog : remedy(peer)
    }
    return (isGone(peer) ? "" : remedy(peer) + "; ")
      + "if the file is lost, `tributary sync` on a device that has imported it, such as \(peerText(first)), brings all "
      + "that it has by a baseline\(day(since)), and `tributary sync --reseed` there does it at once"
  }

  /// Returns, as a phrase, from when on a store acts on what has been missing since a given time.
  private func day(_ since: UInt64?) -> String {
    since.map { " from \(Timestamp.text(milliseconds: $0 + Delay.patience)) on" } ?? ""
  }

  private func remedy(_ peer: PeerIdentity) -> String {
    if peer == own { return Remedy.newIdentity }
    return
      "wait for the carrier; if that device is at hand, run `tributary sync` there, and look at its carrier"
  }

  /// Returns what brings a missing transaction that this store has imported.
  private func remedy(
    ofImportedBy peer: PeerIdentity, isGone: Bool, since: UInt64?
  ) -> String {
    if peer == own { return Remedy.newIdentity }
    let baseline =
      "this store brings all that it has by a baseline\(day(since)), and `tributary sync --reseed` here does it at once"
    return isGone
      ? "bring its files back from another device's copy of the container or from a backup; otherwise \(baseline)"
      : "wait for the carrier; if the files are lost, run `tributary sync` on that device, which publishes them again; if "
        + "it is gone, \(baseline)"
  }
}
