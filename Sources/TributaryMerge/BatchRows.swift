import TributaryCore
import TributaryLog
import TributaryStore

/// The changes of a batch by row, with copies of their images. It is emptied and reused, so that a row needs
/// no allocation of its own.
struct BatchRows: ~Copyable {
  private var arena = ByteBuffer(capacity: 1 << 20)
  private(set) var operations: [RowOperation] = []
  private var index = RowKeyIndex()
  /// For each row, the first and last of its operations, and whether its operations came in the order in
  /// which they apply.
  private var chains: [(first: Int32, last: Int32, isOrdered: Bool)] = []

  /// The numbers of the rows.
  var numbers: Range<Int> { chains.indices }

  /// The number of bytes of all images.
  var byteCount: Int { arena.count }

  /// Returns the position of a row's table in the schema.
  func table(_ row: Int) -> Int { Int(index.table(row)) }

  /// Returns the key of a row as `RowKeyEncoder` writes it; it is valid until the next insertion.
  func key(_ row: Int) -> UnsafeRawBufferPointer { index.key(row) }

  func identity(_ row: Int) -> RowIdentity {
    RowIdentity(table: table(row), key: Array(key(row)))
  }

  /// Returns the row with a key; `nil` if there is none.
  func row(_ key: UnsafeRawBufferPointer, table: UInt32) -> Int? {
    index.number(of: key, table: table)
  }

  /// Returns the row with a key, adding it if there is none.
  mutating func insert(_ key: UnsafeRawBufferPointer, table: UInt32) -> Int {
    let row = index.insert(key, table: table)
    if row.isNew { chains.append((-1, -1, true)) }
    return row.number
  }

  // MARK: Operations

  /// Appends an operation to a row, with copies of its image and of its image in the log.
  mutating func append(
    _ operation: RowOperation, to row: Int, image: UnsafeRawBufferPointer,
    logged: UnsafeRawBufferPointer
  ) {
    let number = Int32(operations.count)
    var operation = operation
    operation.image = append(image)
    operation.logged =
      logged.baseAddress == image.baseAddress ? operation.image : append(logged)
    operations.append(operation)
    if chains[row].first < 0 {
      chains[row].first = number
    } else {
      let last = Int(chains[row].last)
      operations[last].next = number
      if operation.order < operations[last].order { chains[row].isOrdered = false }
    }
    chains[row].last = number
  }

  private mutating func append(_ image: UnsafeRawBufferPointer) -> Range<Int> {
    let start = arena.count
    arena.append(image)
    return start..<arena.count
  }

  /// All images, valid until the next operation is appended.
  var images: UnsafeRawBufferPointer { arena.bytes }

  /// Returns bytes of the arena, valid until the next operation is appended.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: arena.bytes[range])
  }

  /// Returns the operation of a row that came first.
  func first(of row: Int) -> RowOperation { operations[Int(chains[row].first)] }

  /// Returns the operations of a row in the order in which they came.
  func operations(of row: Int) -> RowOperations {
    RowOperations(operations, from: chains[row].first)
  }

  /// Returns the operations of a row in the order in which they apply.
  func orderedOperations(of row: Int) -> [RowOperation] {
    var list = Array(operations(of: row))
    if !chains[row].isOrdered { list.sort { $0.order < $1.order } }
    return list
  }

  /// Removes everything, but keeps the memory.
  mutating func removeAll() {
    arena.removeAll()
    operations.removeAll(keepingCapacity: true)
    chains.removeAll(keepingCapacity: true)
    index.removeAll()
  }
}

/// The operations of one row, in the order in which they came.
struct RowOperations: Sequence, IteratorProtocol {
  private let all: [RowOperation]
  private var number: Int32

  init(_ all: [RowOperation], from first: Int32) {
    self.all = all
    number = first
  }

  mutating func next() -> RowOperation? {
    guard number >= 0 else { return nil }
    let operation = all[Int(number)]
    number = operation.next
    return operation
  }
}
