import TributaryContainer
import TributaryCore
import TributaryStore

/// Compares what the migrations of different devices say about the same things. Nothing waits because of a
/// contradiction, but the user should know.
struct MigrationAgreement {
  let manifests: PeerManifests

  /// Returns the contradictions between migrations: two texts under one name, or two names for one thing.
  ///
  /// The manifests, including the store's own, contain everything needed. The bookkeeping is not queried with
  /// each synchronisation.
  func disagreements(own: PeerIdentity) throws -> [Refusal] {
    try differentTexts(own: own) + forks()
  }

  /// Returns one disagreement for each migration, with the first peer that has run another text.
  private func differentTexts(own: PeerIdentity) -> [Refusal] {
    guard let schema = manifests.all[own]?.schema, !schema.texts.isEmpty else { return [] }
    let known = zip(schema.migrations, schema.texts).filter { !$0.1.isEmpty }
    var texts: [[UInt8]: PeerManifest] = [:]
    for manifest in manifests.others(than: own) where manifest.schema.texts != schema.texts {
      for (name, digest) in zip(manifest.schema.migrations, manifest.schema.texts)
      where !digest.isEmpty {
        let bytes = Array(name.utf8)
        guard texts[bytes] == nil,
          let here = known.first(where: { $0.0.utf8.elementsEqual(bytes) }), here.1 != digest
        else { continue }
        texts[bytes] = manifest
      }
    }
    return known.compactMap { name, _ in
      texts[Array(name.utf8)].map { other in
        Refusal(
          "migration \(name) has run here with another text than on peer \(other.peer) "
            + "(\(other.name.debugDescription)): tables and rows may differ",
          remedy:
            "compare the two with `tributary schema`, give all devices one text of it, and put what differs into a new "
            + "migration; a device that has the wrong one attaches again without its database")
      }
    }
  }

  private func forks() throws -> [Refusal] {
    try manifests.nameChanges(besides: NameChanges()).forks.map { fork in
      Refusal(
        "the migrations of different devices have renamed \(fork.former) to \(fork.names[0]) and to "
          + "\(fork.names[1]): both are taken for the same",
        remedy:
          "give the application that says \(fork.names[1]) a new migration with `-- tributary: \(fork.remedy)`"
      )
    }
  }
}
