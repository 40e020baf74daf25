import TributaryContainer
import TributaryCore
import TributaryMerge
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Examines what has arrived without importing it.
struct Arrivals {
  let exchange: Exchange

  private var own: PeerIdentity { exchange.own }
  private var connection: Connection { exchange.connection }

  struct Result {
    /// The number of transactions that the next import will bring.
    var ready = 0
    var waiting: [Waiting] = []
    /// The transactions that wait for a table or column.
    var blocked: [SchemaFollowing.Blocked] = []
    var damaged: [(path: String, reason: String)] = []
    /// Why there may be more.
    var failure: ContainerError?
  }

  /// Returns the transactions that the last synchronisation could not merge because logs were gone, as far as
  /// these are still missing.
  private func lackingHistory() throws -> [Waiting] {
    try FirstSights(Settings(connection), clock: exchange.environment.clock).all().keys.compactMap {
      (subject: String) -> Waiting? in
      guard let waiting = Waiting(historySubject: subject),
        case .history(let peer, let sequence) = waiting.reason,
        !exchange.listing.holds(sequence, of: peer)
      else { return nil }
      return waiting
    }
  }

  func look() throws -> Result {
    let selection = try TableSelection(connection)
    let batch = try MergeBatch(
      connection: connection,
      schema: ReplicatedSchema(connection, selection: selection), selection: selection)
    let peers = try KnowledgeTable(connection).peers()
    let known = try KnowledgeTable(connection).current()
    var all = known
    all[own] = try Outbox(connection).last()?.sequence ?? .zero
    let branches = try Branches(exchange)
    let logs = try branches.select(from: exchange.listing, known: peers)
    var plan = ImportPlan(
      knowledge: all, peers: peers,
      refused: try RefusalTable(connection).all() + lackingHistory(),
      withdrawals: branches.withdrawals, fence: try HorizonFence(HorizonRecord(connection).state))
    let streams = logs.listing.peers.filter { $0.peer != own }.map { peer in
      SegmentStream(
        peer, segments: exchange.segments(of: peer.peer), after: known[peer.peer],
        upTo: logs.limits[peer.peer] ?? .max, verified: exchange.memory.verified,
        relist: { try branches.listAgain($0, logs) })
    }
    var mappings = streams.map { _ in ShapeMappings() }
    var result = Result()
    let following = try SchemaFollowing(exchange)
    let numberings = NumberingAgreement(exchange)
    while let position = plan.next(among: streams), let head = streams[position].head {
      let stream = streams[position]
      var shape: UInt32?
      do {
        while let change = try stream.nextChange() {
          shape = change.shapeID
          _ = try mappings[position].mapping(
            change.shapeID, of: stream, in: batch, checking: numberings)
        }
      } catch let error as MergeError {
        let waiting = Waiting(
          peer: stream.peer, sequence: head.sequence, reason: .schema(error.refusal))
        if let shape, !error.concernsKey {
          let blocked = SchemaFollowing.Blocked(waiting: waiting, shape: stream.shape(shape))
          result.blocked.append(blocked)
          plan.block(stream.peer, head.sequence, try following.announced(blocked).reason)
        } else {
          plan.block(stream.peer, head.sequence, waiting.reason)
        }
        continue
      } catch let error as ContainerError {
        result.failure = error
        return result
      }
      plan.took(head.sequence, of: stream.peer, madeAt: head.time)
      result.ready += 1
      stream.advance()
    }
    result.waiting = try exchange.withoutReissued(plan.waiting(streams) + logs.waiting)
    result.damaged = streams.flatMap(\.damaged)
    result.failure = streams.lazy.compactMap(\.failure).first
    return result
  }
}
