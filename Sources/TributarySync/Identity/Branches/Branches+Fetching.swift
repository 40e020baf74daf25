import TributaryContainer
import TributaryCore
import TributaryStore

extension Branches {
  /// Reads, in one step, the files that are needed for the times of transactions.
  func fetch(_ listing: ContentListing, _ known: [PeerIdentity: KnowledgeTable.Peer]) {
    var paths: Set<String> = []
    for peer in listing.peers where peer.peer != exchange.own {
      let last = known[peer.peer]?.sequence ?? .zero
      var furthest: SegmentFile?
      for file in peer.segments {
        func need(_ sequence: SequenceNumber, in file: SegmentFile) {
          guard !exchange.memory.times.isKnown(sequence, in: file.name, of: peer.peer) else {
            return
          }
          paths.insert(file.path)
        }
        if file.name.first <= last, last <= file.name.last { need(last, in: file) }
        if let other = furthest, file.name.first <= other.name.last {
          let common = min(file.name.last, other.name.last)
          need(common, in: file)
          need(common, in: other)
        }
        if furthest.map({ $0.name.last < file.name.last }) ?? true { furthest = file }
      }
    }
    files.fetchTogether(Array(paths))
  }
}
