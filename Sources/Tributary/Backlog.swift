/// A queue of waiting elements, in order and in bounded memory.
package struct Backlog<Element: Accumulating>: Sendable {
  /// Beyond this number of bytes, the last element absorbs new ones.
  package static var byteLimit: Int { 4 << 20 }

  private var elements: [Element] = []
  private var start = 0
  private var byteCount = 0

  package init() {}

  package var isEmpty: Bool { start == elements.count }

  package mutating func append(_ element: Element) {
    let size = element.byteCount
    if let last = elements.indices.last, last >= start, byteCount + size > Self.byteLimit {
      byteCount -= elements[last].byteCount
      elements[last].append(element)
      byteCount += elements[last].byteCount
    } else {
      elements.append(element)
      byteCount += size
    }
  }

  /// Removes and returns the first element.
  ///
  /// - Complexity: O(1), amortised.
  package mutating func next() -> Element? {
    guard start < elements.count else { return nil }
    let element = elements[start]
    byteCount -= element.byteCount
    start += 1
    if start == elements.count || start >= 64 && start * 2 > elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }
}
