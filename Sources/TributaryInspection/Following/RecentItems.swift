/// The last items of a sequence, up to a maximum.
struct RecentItems<Item> {
  private let capacity: Int
  private var ring: [Item] = []
  private var start = 0

  /// Makes an empty collection.
  ///
  /// - Parameter capacity: above 0.
  init(capacity: Int) { self.capacity = capacity }

  mutating func append(_ item: Item) {
    if ring.count < capacity {
      ring.append(item)
    } else {
      ring[start] = item
      start = (start + 1) % capacity
    }
  }

  /// The items, in the order in which they came.
  var items: [Item] { Array(ring[start...] + ring[..<start]) }
}
