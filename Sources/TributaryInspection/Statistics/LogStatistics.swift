internal import TributaryCore

/// Counts transactions and changes, in several groupings at once.
///
/// - Complexity: for a change, finding its table; for a transaction, one step for each grouping and
///   table that it changes. Memory grows only with the groups.
package struct LogStatistics {
  package let groupings: [[LogGroup.Aspect]]

  private var groups: [[LogGroup: ChangeTally]]
  private var tableIndices: [TableName: Int] = [:]
  private var tables: [TableName] = []
  /// The changes of the current transaction, by index of the table.
  private var scratch: [ChangeTally] = []
  /// The indexes of the tables with changes.
  private var touched: [Int] = []
  private var last: (name: String, content: String, index: Int)?
  private let former: FormerNames

  /// Makes empty statistics.
  ///
  /// - Parameters:
  ///   - groupings: each a list of aspects without repetition; an empty one is the total.
  ///   - former: the names that tables have had; all of them count under the newest one.
  package init(_ groupings: [[LogGroup.Aspect]], _ former: FormerNames = FormerNames()) {
    self.groupings = groupings
    self.former = former
    // A total exists even if there is nothing to count.
    groups = groupings.map { $0.isEmpty ? [LogGroup(): ChangeTally()] : [:] }
  }

  /// Counts a transaction once it has been read to its end. A transaction without requested changes counts
  /// only if none of its changes was left out.
  ///
  /// - Throws: what reading it throws.
  package mutating func add(_ transaction: LogTransaction) throws {
    for index in touched { scratch[index] = ChangeTally() }
    touched.removeAll(keepingCapacity: true)
    while let (change, shape) = try transaction.nextChange() {
      let index = index(of: shape.table, in: transaction.contentName)
      if scratch[index].changeCount == 0 { touched.append(index) }
      scratch[index].add(change)
    }
    if touched.isEmpty, transaction.isSelected { return }
    for number in groupings.indices { count(transaction, in: number) }
  }

  private mutating func count(_ transaction: LogTransaction, in number: Int) {
    let aspects = groupings[number]
    var group = LogGroup()
    if aspects.contains(.peer) { group.peer = transaction.peer }
    if aspects.contains(.day) { group.day = LogDay(transaction.header.time) }
    guard aspects.contains(.table) else {
      var sum = ChangeTally()
      for index in touched { sum += scratch[index] }
      sum.transactions = 1
      groups[number][group, default: ChangeTally()] += sum
      return
    }
    for index in touched {
      group.table = tables[index]
      var tally = scratch[index]
      tally.transactions = 1
      groups[number][group, default: ChangeTally()] += tally
    }
  }

  private mutating func index(of table: String, in content: String) -> Int {
    // Changes of one table often follow each other.
    if let last, last.name.utf8.elementsEqual(table.utf8),
      last.content.utf8.elementsEqual(content.utf8)
    {
      return last.index
    }
    let name = TableName(former.newestName(ofTable: table, in: content))
    let index = tableIndices[name] ?? tables.count
    if index == tables.count {
      tableIndices[name] = index
      tables.append(name)
      scratch.append(ChangeTally())
    }
    last = (table, content, index)
    return index
  }

  /// Returns the groups of a grouping, in ascending order of its aspects.
  package func rows(of number: Int) -> [(group: LogGroup, tally: ChangeTally)] {
    groups[number].map { ($0.key, $0.value) }.sorted {
      LogGroup.precedes($0.0, $1.0, by: groupings[number])
    }
  }
}
