import TributaryContainer
import TributaryCore

/// What has arrived and has not been imported: what waits, and for what.
struct ArrivalExamination: Examination {
  let store: StoreSubject
  let content: ContentSubject
  let own: PeerIdentity

  let subject = "what has arrived"

  func examine(_ findings: inout [Finding]) throws {
    let arrived = try Arrivals(
      own: own, connection: store.connection, environment: store.environment,
      directory: content.directory, listing: content.listing,
      manifests: content.peerManifests
    ).look()
    for waiting in arrived.waiting { findings.append(finding(waiting)) }
    if arrived.ready > 0 {
      findings.append(
        Finding(
          .notImported, .note, path: content.directory.peers,
          "the store has not imported \(PeerText.transactions(arrived.ready)) that have arrived",
          remedy: Remedy.sync))
    }
  }

  private func finding(_ waiting: Waiting) -> Finding {
    let text = content.peerText
    let what =
      "transaction \(waiting.sequence) of \(text(waiting.peer)), and what follows it, waits"
    let path = content.directory.log(of: waiting.peer)
    func make(_ code: Finding.Code, _ reason: String, _ remedy: String) -> Finding {
      Finding(code, .warning, peer: waiting.peer, path: path, what + reason, remedy: remedy)
    }
    switch waiting.reason {
    case .transaction(let peer, let sequence):
      return make(
        .waiting,
        " for transaction \(sequence) of \(text(peer)), which its author knew: \(whereabouts(peer, sequence))",
        remedy(peer))
    case .schema(let refusal):
      return make(
        .schema, ": \(refusal.message)",
        refusal.remedy.isEmpty
          ? "install the newer version of the application here" : refusal.remedy)
    case .constraint(let refusal):
      return make(
        .refused, ": a constraint of this store does not allow it: \(refusal.message)",
        refusal.remedy.isEmpty
          ? "bring the schemas of the devices in line, then run `tributary sync`" : refusal.remedy)
    case .history(let peer, let sequence):
      return make(
        .waiting,
        ": merging it needs transaction \(sequence) of \(text(peer)), which has been imported before and is gone "
          + "from the container", remedy(peer))
    case .fork(let sequence):
      return make(
        .fork, ": two stores have written as \(text(waiting.peer)) from transaction \(sequence) on",
        Remedy.fork)
    case .strayed(let former, _):
      return make(
        .strayed,
        ": this store has imported from \(text(former)) what a copy of that store wrote, and what it has issued "
          + "again since", "run `tributary rebuild` on this store")
    }
  }

  /// What is known of a transaction that is missing.
  private func whereabouts(_ peer: PeerIdentity, _ sequence: SequenceNumber) -> String {
    if peer == own { return "this store does not remember it" }
    let files = content.listing.peers.first { $0.peer == peer }?.segments ?? []
    if files.contains(where: { $0.name.first <= sequence && sequence <= $0.name.last }) {
      return "the file that should hold it is damaged, or waits itself"
    }
    guard let manifest = try? content.manifests[peer]?.get() else {
      return "nothing of that device has arrived that says whether it has published it"
    }
    return manifest.sequence >= sequence
      ? "it has published it, and the carrier has not brought it"
      : "its peer.json that is here is older than that"
  }

  private func remedy(_ peer: PeerIdentity) -> String {
    peer == own
      ? IdentityExamination.remedy
      : "wait for the carrier; if that device is at hand, run `tributary sync` there, and look at its carrier"
  }
}
