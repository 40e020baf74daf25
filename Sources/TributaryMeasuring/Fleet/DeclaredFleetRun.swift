import Glibc
import TributaryStore
import TributarySync

/// The disk use of a fleet of devices, and the time of a synchronisation of one of them.
struct DeclaredFleetRun {
  let fleet: DeclaredFleet
  let scratch: Scratch
  let rounds: Int

  private struct Time {
    var wall: [Double] = []
    /// The processor time of all threads, which depends less on other programs.
    var processor: [Double] = []

    mutating func add(_ time: (wall: Double, processor: Double)) {
      wall.append(time.wall * 1000)
      processor.append(time.processor * 1000)
    }

    /// Returns the median, minus what the import alone takes, all in milliseconds.
    func measurement(without alone: Double? = nil) -> Measurement {
      Measurement(
        value: wall.median - (alone ?? 0), rounds: wall.map { $0 - (alone ?? 0) },
        details: (alone.map {
          [
            (name: "the whole of it", value: wall.median),
            (name: "taken off: the same from one peer", value: $0),
          ]
        } ?? []) + [(name: "processor", value: processor.median)])
    }
  }

  /// Returns the bytes of a segment and of `peer.json`; the milliseconds of a synchronisation with nothing
  /// new, in a continuing session and in a new one; and the same with ten new segments, minus what these take
  /// from one peer.
  func measure() throws -> [Measurement] {
    let reader = fleet.stores.path(fleet.reader)
    let going = try SyncSession(store: .forMeasuring(reader))
    var (idle, goingIdle, news, goingNews) = (Time(), Time(), Time(), Time())
    _ = try time(going, brings: nil)
    for _ in 0..<rounds {
      // As for the command: nothing is known in advance.
      news.add(try timeOfNews(SyncSession(store: .forMeasuring(reader))))
      // Anything that has changed within the last two seconds is checked again. The first session after that
      // leaves a mark.
      usleep(2_100_000)
      _ = try time(SyncSession(store: .forMeasuring(reader)), brings: 0)
      idle.add(try time(SyncSession(store: .forMeasuring(reader)), brings: 0))
      goingNews.add(try timeOfNews(going))
      // Later scans are compared with the first one that finds nothing.
      for _ in 0..<2 { _ = try time(going, brings: 0) }
      goingIdle.add(try time(going, brings: 0))
    }
    let alone = try ManyPeersCases.fromOnePeer(DeclaredFleet.writerCount, scratch, rounds)
    let writer = fleet.writers[0]
    let insert = try fleet.lastSegmentByteCount(writer, scratch)
    try fleet.update(writer)
    let update = try fleet.lastSegmentByteCount(writer, scratch)
    return [
      Measurement(
        value: Double(insert), details: [(name: "update of 2 columns", value: Double(update))]),
      Measurement(
        value: Double(try fleet.manifestByteCount(fleet.reader, scratch)),
        details: [
          (name: "of one that writes", value: Double(try fleet.manifestByteCount(writer, scratch)))
        ]),
      goingIdle.measurement(), idle.measurement(), goingNews.measurement(without: alone),
      news.measurement(without: alone),
    ]
  }

  private func timeOfNews(_ session: SyncSession) throws -> (wall: Double, processor: Double) {
    for name in fleet.writers { try fleet.write(name) }
    return try time(session, brings: DeclaredFleet.writerCount)
  }

  /// Returns the time of a synchronisation.
  ///
  /// - Parameter count: the number of transactions that it must import; `nil` for any.
  private func time(
    _ session: SyncSession, brings count: Int?
  ) throws -> (wall: Double, processor: Double) {
    var imported = 0
    let time = try timed {
      imported = try SharedStores.checked(session.synchronize()).imported.transactions
    }
    guard count.map({ $0 == imported }) ?? true else {
      throw BenchmarkError("\(imported) transactions were imported")
    }
    return time
  }
}
