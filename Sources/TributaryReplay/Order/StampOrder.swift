package import TributaryCore

/// Finds, of several streams of transactions, the one whose next transaction has the earliest stamp.
package struct StampOrder {
  /// The stream that was the earliest, and the stamp of the next one after it.
  private var leader: (position: Int, limit: Stamp?)?

  package init() {}

  /// To be called when the head of another stream than the one last found may have changed, or counts again.
  package mutating func forget() { leader = nil }

  /// - Parameter stamp: the stamp of the next transaction of a stream, by position; `nil` where none counts.
  /// - Returns: the position of the stream; `nil` where none has a transaction that counts.
  /// - Complexity: O(1) as long as one stream has the earliest transactions, O(`count`) otherwise.
  package mutating func earliest(of count: Int, stamp: (Int) -> Stamp?) -> Int? {
    if let leader, let stamp = stamp(leader.position), leader.limit.map({ stamp < $0 }) ?? true {
      return leader.position
    }
    leader = nil
    var best: (position: Int, stamp: Stamp)?
    var second: Stamp?
    for position in 0..<count {
      guard let stamp = stamp(position) else { continue }
      if let known = best, known.stamp < stamp {
        second = min(second ?? stamp, stamp)
      } else {
        second = best?.stamp
        best = (position, stamp)
      }
    }
    leader = best.map { ($0.position, second) }
    return best?.position
  }
}
