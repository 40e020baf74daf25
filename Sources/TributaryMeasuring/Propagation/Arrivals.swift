import Glibc
import Synchronization
import TributaryCore
import TributarySync

/// When each transaction of a peer was committed there, and when it was committed here.
final class Arrivals: Sendable {
  private struct Times {
    var committed: [Double] = []
    var arrived: [Double] = []
  }

  private let peer: PeerIdentity
  private let times = Mutex(Times())

  init(of peer: PeerIdentity) { self.peer = peer }

  /// Records that the author has committed its next transaction.
  func committed() {
    let time = now()
    times.withLock { $0.committed.append(time) }
  }

  /// Records that the reader has committed an import.
  func note(_ imported: SyncReport.Imported) {
    let time = now()
    guard let range = imported.peers.first(where: { $0.peer == peer }) else { return }
    times.withLock { times in
      while times.arrived.count < Int(range.last.rawValue) { times.arrived.append(time) }
    }
  }

  /// Waits for this many transactions.
  ///
  /// - Throws: `BenchmarkError` after ten seconds.
  func wait(for count: Int) throws {
    let end = now() + 10
    while times.withLock({ $0.arrived.count }) < count {
      guard now() < end else { throw BenchmarkError("transaction \(count) has not arrived") }
      usleep(200)
    }
  }

  /// The latencies in milliseconds, by transaction.
  var latencies: [Double] {
    times.withLock { zip($0.arrived, $0.committed).map { max(0, $0 - $1) * 1000 } }
  }
}
