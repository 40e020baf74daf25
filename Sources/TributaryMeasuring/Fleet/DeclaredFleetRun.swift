import TributaryStore
import TributarySync

/// What a fleet of devices takes on the disk, and a synchronisation of one of them.
struct DeclaredFleetRun {
  let fleet: DeclaredFleet
  let scratch: Scratch
  let rounds: Int

  /// Returns the bytes of a segment, and of `peer.json`; the milliseconds of a synchronisation with nothing new, and
  /// with ten new segments, less what these take from one peer.
  func measure() throws -> [Measurement] {
    let reader = fleet.stores.path(fleet.reader)
    let going = try SyncSession(store: .forMeasuring(reader))
    var times = (idle: [Double](), goingIdle: [Double](), news: [Double](), goingNews: [Double]())
    _ = try time(going, brings: nil)
    for _ in 0..<rounds {
      // As the command has it: nothing is known in advance.
      times.news.append(try timeOfNews(SyncSession(store: .forMeasuring(reader))))
      times.idle.append(try time(SyncSession(store: .forMeasuring(reader)), brings: 0))
      times.goingNews.append(try timeOfNews(going))
      _ = try time(going, brings: 0)
      times.goingIdle.append(try time(going, brings: 0))
    }
    let alone = try ManyPeersCases.fromOnePeer(DeclaredFleet.writerCount, scratch, rounds)
    let writer = fleet.writers[0]
    return [
      Measurement(value: Double(try fleet.lastSegmentByteCount(writer, scratch))),
      Measurement(
        value: Double(try fleet.manifestByteCount(fleet.reader, scratch)),
        details: [(name: "of one that writes", value: Double(try fleet.manifestByteCount(writer, scratch)))]),
      Measurement(
        value: times.goingIdle.median, rounds: times.goingIdle,
        details: [(name: "in a new session", value: times.idle.median)]),
      Measurement(
        value: times.goingNews.median - alone, rounds: times.goingNews.map { $0 - alone },
        details: [
          (name: "the whole of it", value: times.goingNews.median),
          (name: "taken off: the same from one peer", value: alone),
          (name: "the whole in a new session", value: times.news.median),
        ]),
    ]
  }

  private func timeOfNews(_ session: SyncSession) throws -> Double {
    for name in fleet.writers { try fleet.write(name) }
    return try time(session, brings: DeclaredFleet.writerCount)
  }

  /// Returns the milliseconds of a synchronisation.
  ///
  /// - Parameter count: the number of transactions that it must import; `nil` for any.
  private func time(_ session: SyncSession, brings count: Int?) throws -> Double {
    var imported = 0
    let time = try seconds {
      imported = try SharedStores.checked(session.synchronize()).imported.transactions
    }
    guard count.map({ $0 == imported }) ?? true else {
      throw BenchmarkError("\(imported) transactions were imported")
    }
    return time * 1000
  }
}
