package import TributaryCore

/// Finds, among several streams of transactions, the one whose next transaction has the earliest stamp.
package struct StampOrder {
  private struct Entry {
    var stamp: Stamp
    var position: Int
  }

  /// The streams that have transactions, as a heap: none comes before its parent. Only the stamp of the
  /// stream last found may be out of date; some streams may not count any more.
  private var heap: [Entry] = []
  /// The number of streams from which the heap was made; `nil` if the heap must be made.
  private var count: Int?

  package init() {}

  /// Must be called when the head of a stream other than the one last found may have changed, or counts
  /// again.
  package mutating func forget() { count = nil }

  /// - Parameter stamp: the stamp of the next transaction of a stream, by position; `nil` where none counts.
  /// - Returns: the position of the stream; `nil` where none has a transaction that counts.
  /// - Complexity: O(1) as long as one stream has the earliest transactions, O(log `count`) otherwise; O(`count`) the
  ///   first time and after `forget()`.
  package mutating func earliest(of count: Int, stamp: (Int) -> Stamp?) -> Int? {
    if self.count != count { make(count, stamp) }
    while let first = heap.first {
      let present = stamp(first.position)
      if present == first.stamp { return first.position }
      renewFirst(present)
    }
    return nil
  }

  private mutating func make(_ count: Int, _ stamp: (Int) -> Stamp?) {
    self.count = count
    heap.removeAll(keepingCapacity: true)
    for position in 0..<count {
      if let stamp = stamp(position) { heap.append(Entry(stamp: stamp, position: position)) }
    }
    for index in (0..<heap.count / 2).reversed() { sink(index) }
  }

  /// Gives the first entry another stamp, or removes it if that is `nil`.
  private mutating func renewFirst(_ stamp: Stamp?) {
    if let stamp {
      heap[0].stamp = stamp
    } else {
      let last = heap.removeLast()
      if heap.isEmpty { return }
      heap[0] = last
    }
    sink(0)
  }

  /// Moves an entry behind those of its descendants that come before it.
  private mutating func sink(_ start: Int) {
    var index = start
    let entry = heap[start]
    while 2 * index + 1 < heap.count {
      var child = 2 * index + 1
      if child + 1 < heap.count, Self.precedes(heap[child + 1], heap[child]) { child += 1 }
      guard Self.precedes(heap[child], entry) else { break }
      heap[index] = heap[child]
      index = child
    }
    heap[index] = entry
  }

  private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
    a.stamp == b.stamp ? a.position > b.position : a.stamp < b.stamp
  }
}
