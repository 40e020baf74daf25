import TributaryCore
import TributaryStore

/// Decides which part of an identity's logs stays under it, and which branches are issued again.
///
/// One branch stays: the one that this store has imported or, if there is none, the one that began first. If
/// stores decide differently at the same time, each withdraws the other's branch. Then none stays, and
/// nothing is lost.
struct BranchPlan {
  let peer: PeerIdentity
  let tree: BranchTree
  /// The times of what new identities have issued again, from the first transaction on.
  let issued: [PeerIdentity: [HybridTime]]
  /// What was already issued again.
  let withdrawals: [Withdrawal]
  /// The last transaction of that peer that this store has imported.
  let known: BranchTree.Node?
  /// Whether no store ever had an identity, so that others may continue its log.
  let isFree: (PeerIdentity) -> Bool

  /// Returns all branches that do not stay. A branch that splits off another comes after that one.
  func branches() -> [Branch] {
    var found: [Branch] = []
    follow(nil, of: nil, into: &found)
    return found
  }

  /// Continues after a transaction of a branch, or of the identity itself.
  private func follow(_ start: BranchTree.Node?, of index: Int?, into found: inout [Branch]) {
    var node = start
    while true {
      let all = tree.successors(of: node)
      let kept = all.filter { withdrawal(of: $0) == nil }
      let main =
        kept.first { node in index.map { isIssued(node, in: found[$0]) } ?? false }
        ?? kept.first { known.flatMap { tree.ancestor(of: $0, at: kept[0].sequence) } == $0 }
        ?? kept.first { peer.branch(from: $0.time) == peer } ?? kept.first
      for other in all where other != main {
        begin(other, of: index, issuedBy: withdrawal(of: other), into: &found)
      }
      guard let main else { return }
      if let index {
        // The peer that has issued this branch again may have had less of it. It writes what follows, too.
        if let withdrawal = withdrawals.first(where: { isSame($0, found[index]) }),
          withdrawal.reissued < main.sequence, !isFree(found[index].peer)
        {
          begin(main, of: index, issuedBy: nil, into: &found)
          return
        }
        found[index].times.append(main.time)
      }
      node = main
    }
  }

  /// Whether the log of a branch has a transaction.
  private func isIssued(_ node: BranchTree.Node, in branch: Branch) -> Bool {
    let times = issued[branch.peer] ?? []
    let place = node.sequence.rawValue - branch.last.rawValue - 1
    return place < UInt64(times.count) && times[Int(place)] == node.time
  }

  private func begin(
    _ node: BranchTree.Node, of index: Int?, issuedBy withdrawal: Withdrawal?,
    into found: inout [Branch]
  ) {
    let before = SequenceNumber(node.sequence.rawValue - 1)
    let base = index.map { found[$0] }
    let new = withdrawal?.peer ?? peer.branch(from: node.time)
    let renaming = Renaming(
      former: base?.peer ?? peer,
      last: SequenceNumber(before.rawValue - (base?.last.rawValue ?? 0)), new: new)
    found.append(
      Branch(
        peer: new, last: before, times: [node.time],
        renamings: (base?.renamings ?? []) + [renaming]))
    follow(node, of: found.count - 1, into: &found)
  }

  private func withdrawal(of node: BranchTree.Node) -> Withdrawal? {
    withdrawals.first { $0.last.next == node.sequence && $0.time == node.time }
  }

  private func isSame(_ withdrawal: Withdrawal, _ branch: Branch) -> Bool {
    withdrawal.peer == branch.peer && withdrawal.last == branch.last
  }
}
