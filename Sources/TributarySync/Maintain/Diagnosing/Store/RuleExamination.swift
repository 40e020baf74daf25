import TributaryCore
import TributaryStore

/// Whether the devices have the same constraints on the rows of a table. If they differ, one device
/// holds back or refuses what another shows.
struct RuleExamination: Examination {
  let store: StoreSubject
  let content: ContentSubject
  let own: PeerIdentity

  let subject = "what tables demand of their rows"

  func examine(_ findings: inout [Finding]) throws {
    for manifest in content.peerManifests.others(than: own) {
      guard try PeerTables.areTold(manifest.schema, otherwiseThan: store.connection) else {
        continue
      }
      let theirs = try PeerTables(manifest.schema, extensions: store.connection.extensions)
      for table in try store.schema().tables where table.refusal == nil {
        guard let other = theirs.schema.table(named: table.name), other.refusal == nil else {
          continue
        }
        let here = try TableRules(table, store.connection).constraints
        let there = try TableRules(other, theirs.connection).constraints
        let sides = [
          say(here.subtracting(there), "this store"),
          say(there.subtracting(here), "peer \(manifest.peer)"),
        ].compactMap(\.self)
        if sides.isEmpty { continue }
        findings.append(
          Finding(
            .rules, .warning, peer: manifest.peer, path: store.path,
            "the devices have different constraints on the rows of table \(table.name): "
              + sides.joined(separator: ", and ")
              + "; what one device holds back or refuses, another may show",
            remedy: "run the migration that makes them equal on the device that lacks it"))
      }
    }
  }

  private func say(_ constraints: Set<String>, _ side: String) -> String? {
    constraints.isEmpty
      ? nil : "only \(side) has \(constraints.sorted().joined(separator: ", "))"
  }
}
