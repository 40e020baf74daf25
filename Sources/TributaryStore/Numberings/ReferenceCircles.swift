/// Finds the rows that refer to each other in a circle and to no other rows: the strongly connected
/// components of the references from which no reference leads away, by Tarjan's algorithm.
struct ReferenceCircles {
  private let references: [SharedNumber: [SharedNumber]]
  /// When each row was first reached.
  private var orders: [SharedNumber: Int] = [:]
  /// The earliest open row that each row can reach.
  private var lows: [SharedNumber: Int] = [:]
  /// The rows whose circle is not complete yet, in the order in which they were reached.
  private var open: [SharedNumber] = []
  private var isOpen: Set<SharedNumber> = []
  /// The rows of such circles.
  private(set) var members: Set<SharedNumber> = []

  /// Finds the rows.
  ///
  /// - Parameter references: what each row refers to, among these rows only.
  /// - Complexity: O(references)
  init(_ references: [SharedNumber: [SharedNumber]]) {
    self.references = references
    for row in references.keys where orders[row] == nil { follow(row) }
  }

  private mutating func follow(_ first: SharedNumber) {
    var path = [(row: first, next: 0)]
    enter(first)
    while let (row, next) = path.last {
      let targets = references[row] ?? []
      guard next < targets.count else {
        path.removeLast()
        if let before = path.last?.row { reach(lows[row], from: before) }
        if lows[row] == orders[row] { complete(row) }
        continue
      }
      path[path.count - 1].next += 1
      let target = targets[next]
      if orders[target] == nil {
        enter(target)
        path.append((target, 0))
      } else if isOpen.contains(target) {
        reach(orders[target], from: row)
      }
    }
  }

  private mutating func enter(_ row: SharedNumber) {
    lows[row] = orders.count
    orders[row] = orders.count
    open.append(row)
    isOpen.insert(row)
  }

  private mutating func reach(_ order: Int?, from row: SharedNumber) {
    if let order, let low = lows[row], order < low { lows[row] = order }
  }

  /// Closes the component that was entered at a row.
  private mutating func complete(_ row: SharedNumber) {
    var component: Set<SharedNumber> = []
    while let last = open.popLast() {
      isOpen.remove(last)
      component.insert(last)
      if last == row { break }
    }
    if component.allSatisfy({ references[$0]?.allSatisfy(component.contains) ?? true }) {
      members.formUnion(component)
    }
  }
}
