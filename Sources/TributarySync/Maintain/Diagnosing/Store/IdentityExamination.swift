import TributaryContainer
import TributaryCore
import TributaryStore

/// Whether the store continues what has been published under its identity: a restored backup and a
/// copy do not.
struct IdentityExamination: Examination {
  let store: StoreSubject
  let content: ContentSubject
  let own: PeerIdentity

  let subject = "the store's identity"

  func examine(_ findings: inout [Finding]) throws {
    if let last = try store.environment.recognition.copied(store.connection) {
      findings.append(
        Finding(
          .identity, .note, peer: own, path: store.connection.path,
          "\(OwnEvidence.copy(after: last)): it was restored from a backup, or copied, and publishes nothing under the "
            + "identity of the original",
          remedy: Self.remedy))
    } else if let (evidence, remedy) = try evidence() {
      findings.append(
        Finding(
          .identity, .damage, peer: own, path: content.directory.log(of: own),
          "\(evidence): it was restored from a backup, or copied and written elsewhere",
          remedy: remedy))
    }
    try compare(store.last(), &findings)
  }

  static let remedy =
    "run `tributary sync`: the store takes a new identity by itself and keeps everything"

  /// Returns the evidence that it does not; `nil` if there is none.
  private func evidence() throws -> (text: String, remedy: String)? {
    let exchange = try store.exchange(with: content)
    switch try OwnLog(exchange: exchange).compare(Branches(exchange)) {
    case .departs(_, _, let evidence): return (evidence, Self.remedy)
    case .undecided(let lacking, let evidence):
      return (
        evidence,
        "wait until transaction \(lacking) of its own log has arrived, and run `tributary sync` then; if the "
          + "log is lost, `tributary sync --reseed` continues without it"
      )
    case .continues: break
    }
    let last = try store.last()
    let unknown = try content.logs.get().result.unknown.filter {
      $0.peer == own && $0.last > last && !content.isWithdrawn($0.last, of: own)
    }
    return unknown.max { $0.last < $1.last }.map {
      (
        "\(content.peerText($0.knower)) has written with knowledge of transaction \($0.last) of this store, "
          + "which remembers \(last)", Self.remedy
      )
    }
  }

  /// Looks for a segment that the store has published and that contradicts the outbox.
  private func compare(_ last: SequenceNumber, _ findings: inout [Finding]) throws {
    let damaged = Set(
      try content.logs.get().findings.filter { $0.kind != .fork }.map(\.path))
    let remembered = Set(try SegmentTable(store.connection).all().map(\.name))
    let comparison = OwnLogComparison(
      connection: store.connection, environment: store.environment, directory: content.directory,
      own: own)
    let files = content.listing.peers.first { $0.peer == own }?.segments ?? []
    // A damaged segment proves nothing, and one that goes on further has already been reported.
    for file in files
    where remembered.contains(file.name) && !damaged.contains(file.path) && file.name.last <= last {
      guard let sequence = try comparison.firstDifference(file) else { continue }
      findings.append(
        store.damage(
          .outbox,
          "transaction \(sequence) of this store differs between tributary_outbox and \(file.path), which it "
            + "has published"))
      return
    }
  }
}
