import TributaryCore
import TributaryHorizon
import TributaryTesting

/// Everything that devices have ever published. A device reads any of it, at any later time or never.
struct HorizonWorld {
  /// The transactions of each identity, in order, with the writes that they carry.
  var transactions: [PeerIdentity: [(antecedents: Antecedents, items: Set<Int>)]] = [:]
  /// What devices have said in their `peer.json`, all versions.
  var statements: [HorizonStatement] = []
  /// Declarations for which there is a baseline.
  var baselines: [Declaration] = []
  var itemCount = 0
  private var identityCount: UInt64 = 0

  mutating func makeIdentity() -> PeerIdentity {
    identityCount += 1
    return PeerIdentity(high: identityCount, low: 0)
  }

  /// The transactions of `knowledge` that `other` lacks.
  func transactions(of knowledge: Knowledge, without other: Knowledge) -> [Antecedents] {
    knowledge.entries.flatMap { entry in
      let first = Int(min(other[entry.peer].rawValue, entry.sequence.rawValue))
      return transactions[entry.peer, default: []][first..<Int(entry.sequence.rawValue)].map(
        \.antecedents)
    }
  }

  func items(of knowledge: Knowledge) -> Set<Int> {
    knowledge.entries.reduce(into: []) { items, entry in
      for transaction in transactions[entry.peer]!.prefix(Int(entry.sequence.rawValue)) {
        items.formUnion(transaction.items)
      }
    }
  }
}

/// What one version of a `peer.json` says.
struct HorizonStatement {
  var peer: PeerIdentity
  var receipt: Knowledge
  var obeyed: Declaration?
  var promises: [Declaration]
}
