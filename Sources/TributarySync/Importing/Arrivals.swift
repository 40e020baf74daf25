import TributaryContainer
import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Looks at what has arrived without importing it.
struct Arrivals {
  let own: PeerIdentity
  let connection: Connection
  let environment: Environment
  let directory: ContentDirectory
  let listing: ContentListing

  struct Result {
    /// Transactions that the next import will bring.
    var ready = 0
    var waiting: [Waiting] = []
    var damaged: [(path: String, reason: String)] = []
    /// Why there may be more.
    var failure: ContainerError?
  }

  func look() throws -> Result {
    let selection = try TableSelection(connection)
    let batch = try MergeBatch(
      connection: connection,
      schema: ReplicatedSchema(connection, selection: selection), selection: selection)
    let known = try KnowledgeTable(connection).current()
    var all = known
    all[own] = try Outbox(connection).last()?.sequence ?? .zero
    var plan = ImportPlan(knowledge: all, refused: try RefusalTable(connection).all())
    let streams = try listing.peers.filter { $0.peer != own }.map { peer in
      try SegmentStream(
        peer, segments: SegmentStore(directory, peer: peer.peer, using: environment.fileSystem),
        after: known[peer.peer], verified: VerifiedSegments())
    }
    var mappings = streams.map { _ in ShapeMappings() }
    var result = Result()
    while let position = plan.next(among: streams), let head = streams[position].head {
      let stream = streams[position]
      do {
        while let change = try stream.nextChange() {
          _ = try mappings[position].mapping(change.shapeID, of: stream, in: batch)
        }
      } catch let error as MergeError {
        plan.block(stream.peer, head.sequence, .schema("\(error)"))
        continue
      } catch let error as ContainerError {
        result.failure = error
        return result
      }
      plan.took(head.sequence, of: stream.peer)
      result.ready += 1
      try stream.advance()
    }
    result.waiting = plan.waiting(streams)
    result.damaged = streams.flatMap(\.damaged)
    result.failure = streams.lazy.compactMap(\.failure).first
    return result
  }
}
