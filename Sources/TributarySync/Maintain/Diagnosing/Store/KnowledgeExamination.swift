import TributaryCore
import TributarySQLite
import TributaryStore

/// Whether what the store knows of other peers is consistent.
struct KnowledgeExamination: Examination {
  let store: StoreSubject

  let subject = "what the store knows of other peers"

  func examine(_ findings: inout [Finding]) throws {
    let identity = try store.identity()
    if try store.connection.integer(
      "SELECT count(*) FROM tributary_peer WHERE peer = ?", .blob(identity.peer.bytes)) != 0
    {
      findings.append(store.damage(.bookkeeping, "tributary_peer lists the store itself"))
    }
    let last = Int64(clamping: try store.last().rawValue)
    for (violation, meaning) in [
      ("p.id IS NULL", "names a peer that tributary_peer does not have"),
      ("k.sequence > p.sequence", "knows more of a peer than tributary_peer says"),
      ("k.after > \(last)", "is about own transactions that do not exist"),
      (
        """
        EXISTS (SELECT 1 FROM tributary_knowledge AS b
          WHERE b.peer = k.peer AND b.after < k.after AND b.sequence > k.sequence)
        """, "knows less than it did before"
      ),
    ] {
      guard
        try store.connection.integer(
          """
          SELECT 1 FROM tributary_knowledge AS k LEFT JOIN tributary_peer AS p ON p.id = k.peer
          WHERE \(violation) LIMIT 1
          """) != nil
      else { continue }
      findings.append(store.damage(.bookkeeping, "a row of tributary_knowledge \(meaning)"))
    }
    if try store.connection.integer(
      """
      SELECT 1 FROM tributary_peer AS p WHERE p.sequence >
        (SELECT ifnull(max(k.sequence), 0) FROM tributary_knowledge AS k WHERE k.peer = p.id) LIMIT 1
      """) != nil
    {
      findings.append(
        store.damage(.bookkeeping, "tributary_peer knows more of a peer than tributary_knowledge"))
    }
  }
}
