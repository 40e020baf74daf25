import TributaryCore

/// The transactions that different stores have written under one identity, each after the previous one of its
/// author. Two times for one number mean two transactions.
struct BranchTree {
  struct Node: Hashable {
    var sequence: SequenceNumber
    var time: HybridTime
  }

  /// The transactions of one segment.
  struct Part {
    var first: SequenceNumber
    var times: [HybridTime]
    /// Whether its author has left the identity after it, so that another store has written what follows.
    var isLast = false
  }

  private var parents: [Node: Node] = [:]
  private var children: [Node: [Node]] = [:]
  /// The transactions numbered 1, in ascending order of time.
  private(set) var roots: [Node] = []

  /// Builds the tree.
  ///
  /// - Complexity: O(transactions · log transactions).
  init(_ parts: [Part]) {
    var nodes: Set<Node> = []
    var ends: Set<Node> = []
    for part in parts {
      var previous: Node?
      for (offset, time) in part.times.enumerated() {
        let node = Node(
          sequence: SequenceNumber(part.first.rawValue + UInt64(offset)), time: time)
        nodes.insert(node)
        if let previous, parents[node] == nil { add(node, after: previous) }
        previous = node
      }
      if let previous, part.isLast { ends.insert(previous) }
    }
    let ordered = nodes.sorted { ($0.sequence, $0.time) < ($1.sequence, $1.time) }
    let numbered = Dictionary(grouping: ordered, by: \.sequence)
    for node in ordered where parents[node] == nil {
      if node.sequence.rawValue == 1 {
        roots.append(node)
      } else if let parent = parent(
        of: node, among: numbered[SequenceNumber(node.sequence.rawValue - 1)] ?? [], ends)
      {
        add(node, after: parent)
      }
    }
  }

  private mutating func add(_ node: Node, after parent: Node) {
    parents[node] = parent
    children[parent, default: []].append(node)
    children[parent]?.sort { $0.time < $1.time }
  }

  /// Returns the parent of a transaction if no segment shows what it follows. This is the latest transaction
  /// before it, preferably one that nothing follows and whose author may have continued.
  private func parent(of node: Node, among nodes: [Node], _ ends: Set<Node>) -> Node? {
    let earlier = nodes.filter { $0.time < node.time }
    return earlier.last { children[$0] == nil && !ends.contains($0) }
      ?? earlier.last { children[$0] == nil } ?? earlier.last
  }

  /// Returns what follows a transaction or, for `nil`, what follows none, in ascending order of time.
  func successors(of node: Node?) -> [Node] { node.map { children[$0] ?? [] } ?? roots }

  /// Returns the transaction of that number in a node's past, or the node itself.
  ///
  /// - Returns: `nil` if it is unknown.
  func ancestor(of node: Node, at sequence: SequenceNumber) -> Node? {
    var node = node
    while node.sequence > sequence {
      guard let parent = parents[node] else { return nil }
      node = parent
    }
    return node.sequence == sequence ? node : nil
  }
}
