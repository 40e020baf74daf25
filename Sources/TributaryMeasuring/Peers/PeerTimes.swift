/// The rounds of one peer. Its failures do not affect others.
struct PeerTimes {
  let peer: any Peer
  private var times: [Double] = []
  private var remark = ""
  private var hasFailed = false

  init(peer: any Peer) { self.peer = peer }

  /// Measures another round, unless one has failed before.
  ///
  /// - Parameter body: returns the seconds, and a remark.
  mutating func add(_ body: (any Peer) throws -> (seconds: Double, remark: String)) {
    guard !hasFailed else { return }
    do {
      let round = try body(peer)
      times.append(round.seconds)
      remark = round.remark
    } catch {
      hasFailed = true
      remark = "\(error)"
    }
  }

  /// Returns the comparison.
  ///
  /// - Parameter plain: the seconds of plain SQLite in the same rounds.
  func other(beside plain: [Double]) -> Measurement.Other {
    Measurement.Other(
      name: peer.name, ratio: hasFailed ? nil : zip(times, plain).map { $0 / $1 }.median,
      remark: remark)
  }
}
