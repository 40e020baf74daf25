internal import TributaryCore

/// Finds transactions whose causes are missing, while transactions come in order of their stamps.
///
/// For each pair of peers, only the first one counts: later ones wait with it.
struct WaitFinder {
  private struct Pair: Hashable {
    var peer: Int
    var cause: Int
  }

  private var waits: [Pair: ReportWait] = [:]
  private var order: [Pair] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Adds something that a transaction needs.
  ///
  /// - Parameter last: the last transaction of the cause that has come.
  mutating func need(
    _ cause: Int, _ sequence: SequenceNumber, by peer: Int, _ waiting: SequenceNumber,
    last: SequenceNumber
  ) {
    guard sequence > last else { return }
    let pair = Pair(peer: peer, cause: cause)
    // The number of pairs is bounded, because the number of peers is.
    guard waits[pair] == nil, waits.count < limit * 100 else { return }
    waits[pair] = ReportWait(
      peer: peer, sequence: waiting, cause: cause, causeSequence: sequence)
    order.append(pair)
  }

  /// Returns those whose cause has not come after all.
  ///
  /// - Parameter isHere: whether a transaction of a peer was in a file.
  func found(isHere: (Int, SequenceNumber) -> Bool) -> [ReportWait] {
    order.compactMap { pair in
      waits[pair].flatMap { isHere($0.cause, $0.causeSequence) ? nil : $0 }
    }
  }
}
