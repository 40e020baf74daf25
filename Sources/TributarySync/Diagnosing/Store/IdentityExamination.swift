import TributaryContainer
import TributaryCore
import TributaryStore

/// Whether the store is the continuation of what has been published under its identity: a restored
/// backup and a copy are not.
struct IdentityExamination: Examination {
  let store: StoreSubject
  let content: ContentSubject
  let own: PeerIdentity

  let subject = "the store's identity"

  func examine(_ findings: inout [Finding]) throws {
    let last = try store.last()
    if let witness = try furthest(), witness.sequence > last {
      findings.append(
        Finding(
          .identity, .damage, peer: own, path: witness.path,
          "\(witness.text) transaction \(witness.sequence) of this store, which remembers \(last) of its own: it "
            + "was restored from a backup, or copied and written elsewhere",
          remedy: Self.remedy))
    }
    try compare(last, &findings)
  }

  static let remedy =
    "run `tributary sync`: the store takes a new identity by itself and keeps everything"

  private typealias Witness = (sequence: SequenceNumber, path: String, text: String)

  /// Who or what knows most of this store.
  private func furthest() throws -> Witness? {
    let text = content.peerText
    var witnesses: [Witness] = []
    for file in ownSegments { witnesses.append((file.name.last, file.path, "the container holds")) }
    for manifest in content.readable {
      let path = content.directory.manifest(of: manifest.peer)
      if manifest.peer == own {
        witnesses.append((manifest.sequence, path, "its own peer.json names"))
      } else {
        witnesses.append((manifest.receipt[own], path, "\(text(manifest.peer)) has imported"))
      }
    }
    for unknown in try content.logs.get().result.unknown where unknown.peer == own {
      witnesses.append(
        (
          unknown.last, content.directory.log(of: unknown.knower),
          "\(text(unknown.knower)) has written with knowledge of"
        ))
    }
    return witnesses.max { $0.sequence < $1.sequence }
  }

  private var ownSegments: [SegmentFile] {
    content.listing.peers.first { $0.peer == own }?.segments ?? []
  }

  /// Looks for a segment that says otherwise than the store.
  private func compare(_ last: SequenceNumber, _ findings: inout [Finding]) throws {
    let damaged = Set(
      try content.logs.get().findings.filter { $0.kind != .fork }.map(\.path))
    let remembered = Set(try SegmentTable(store.connection).all().map(\.name))
    let comparison = OwnLogComparison(
      connection: store.connection, environment: store.environment, directory: content.directory,
      own: own)
    // A damaged one says nothing, and one that goes on further has been told.
    for file in ownSegments where !damaged.contains(file.path) && file.name.last <= last {
      guard let sequence = try comparison.firstDifference(file) else { continue }
      if remembered.contains(file.name) {
        findings.append(
          store.damage(
            .outbox,
            "transaction \(sequence) of this store is another in tributary_outbox than in \(file.path), which it "
              + "has published"))
      } else {
        findings.append(
          Finding(
            .identity, .damage, peer: own, path: file.path,
            "\(file.path) has another transaction \(sequence) than this store: it was restored from a backup or "
              + "copied, and written since", remedy: Self.remedy))
      }
      return
    }
  }
}
