internal import TributaryCore

/// Finds, while transactions come in order of their stamps, those whose causes are not there.
///
/// For each pair of peers the first one counts: what comes later of the one that waits, waits with
/// it.
struct WaitFinder {
  private struct Pair: Hashable {
    var peer: Int
    var cause: Int
  }

  private var waits: [Pair: ReportWait] = [:]
  private var order: [Pair] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Takes something that a transaction needs.
  ///
  /// - Parameter last: the last transaction of the cause that has come.
  mutating func need(
    _ cause: Int, _ sequence: SequenceNumber, by peer: Int, _ waiting: SequenceNumber,
    last: SequenceNumber
  ) {
    guard sequence > last else { return }
    let pair = Pair(peer: peer, cause: cause)
    // Sums by pair are bounded by the square of a bounded number of peers, and so is this.
    guard waits[pair] == nil, waits.count < limit * 100 else { return }
    waits[pair] = ReportWait(
      peer: peer, sequence: waiting, cause: cause, causeSequence: sequence)
    order.append(pair)
  }

  /// Those whose cause has not come after all.
  ///
  /// - Parameter isHere: whether a transaction of a peer was in a file.
  func found(isHere: (Int, SequenceNumber) -> Bool) -> [ReportWait] {
    order.compactMap { pair in
      waits[pair].flatMap { isHere($0.cause, $0.causeSequence) ? nil : $0 }
    }
  }
}
