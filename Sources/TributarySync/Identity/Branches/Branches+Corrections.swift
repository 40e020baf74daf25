import TributaryContainer
import TributaryCore
import TributaryStore

/// Corrects what the authors of transactions knew by names that were later given up.
extension Branches {
  /// All corrections, in the order in which they apply.
  var allCorrections: [KnowledgeCorrection] { corrections + newCorrections }

  /// Applies the corrections to a log when it is read. If one was missed, nothing more of that log is
  /// imported.
  func correct(
    _ peer: PeerIdentity, at place: Int, _ known: KnowledgeTable.Peer?,
    _ selection: inout BranchSelection
  ) {
    selection.listing.peers[place].corrections = allCorrections.filter { $0.author == peer }
    for correction in missedCorrections where correction.author == peer {
      selection.stop(
        peer, after: known?.sequence ?? .zero,
        .strayed(from: correction.renaming.former, after: correction.renaming.last))
    }
  }
}
