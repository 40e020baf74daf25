import TributaryCore
import TributaryFuzzing
import TributaryLog
import TributaryTesting

extension SegmentModel {
  /// Any segment that a writer can make.
  init(seed: UInt64, transactionCount: Int, changesUpTo: Int) {
    var random = SeededGenerator(seed: seed)
    let peer = PeerIdentity.random(using: &random)
    let others = (0..<6).map { _ in PeerIdentity.random(using: &random) }
    let first = UInt64.random(in: 1...1_000_000, using: &random)
    self.init(
      header: SegmentHeader(
        peer: peer, first: .init(first), last: .init(first), firstTime: .zero, lastTime: .zero,
        contentName: "Library " + String(seed), knowledge: Knowledge()))
    shapes = [
      1: TableShape(table: "one", columns: ["id"], keys: [.init(column: 0)]),
      7: TableShape(
        table: "größe\u{0}x", columns: ["a", "b", "c", "d", "é", "e\u{301}"],
        keys: [.init(column: 4, collation: .nocase), .init(column: 1, collation: .rtrim)]),
      200: TableShape(
        table: "", columns: (0..<300).map { "c\($0)" }, keys: [.init(column: 130)]),
      .max: TableShape(table: "t", columns: ["", "k"], keys: [.init(column: 1)]),
    ]
    let ids = shapes.keys.sorted()
    schemas = [0: "", 5: "2024-01-01 first", 70_000: "naïve"]
    var knowledge = Knowledge()
    var time = HybridTime(milliseconds: 0, counter: 0)
    for index in 0..<transactionCount {
      if Bool.random(using: &random), let other = others.randomElement(using: &random) {
        knowledge[other] = .init(knowledge[other].rawValue + .random(in: 1...300, using: &random))
      }
      if index > 0 {
        time = .init(rawValue: time.rawValue + .random(in: 1...1 << 30, using: &random))
      }
      var basis: Knowledge?
      if Int.random(in: 0..<4, using: &random) == 0 {
        basis = knowledge
        if index > 0 { basis?[peer] = .init(first + UInt64(index) - 1) }
      }
      let transaction = TransactionHeader(
        sequence: .init(first + UInt64(index)), time: time,
        schema: schemas.keys.sorted().randomElement(using: &random) ?? 0, knowledge: knowledge,
        basis: basis)
      let changes = (0..<Int.random(in: 0...changesUpTo, using: &random)).map { _ in
        Change(random: &random, shape: ids.randomElement(using: &random) ?? 1, shapes: shapes)
      }
      transactions.append(Transaction(header: transaction, changes: changes))
    }
    header.last = .init(first + UInt64(transactionCount) - 1)
    header.lastTime = time
    header.knowledge = knowledge
    let used = Set(transactions.flatMap { $0.changes.map(\.shape) })
    shapes = shapes.filter { used.contains($0.key) }
    let named = Set(transactions.map(\.header.schema))
    schemas = schemas.filter { named.contains($0.key) }
  }
}

extension SegmentModel.Change {
  init(random: inout SeededGenerator, shape id: UInt32, shapes: [UInt32: TableShape]) {
    guard let shape = shapes[id] else { fatalError("no shape \(id)") }
    let operation = ChangeOperation.allCases.randomElement(using: &random) ?? .insert
    let isUpdate = operation == .update
    let columns = operation == .delete ? shape.keys.map(\.column) : Array(shape.columns.indices)
    let keys = Set(shape.keys.map(\.column))
    var values: [Value?] = []
    for column in columns {
      let isAbsent =
        isUpdate && !keys.contains(column) && Int.random(in: 0..<3, using: &random) > 0
      values.append(isAbsent ? nil : Value.random(using: &random))
    }
    self.init(operation: operation, shape: id, values: values)
  }
}

extension Value {
  /// Any value, the extremes more often than not.
  static func random(using random: inout SeededGenerator) -> Value {
    func bytes(_ count: Int) -> [UInt8] {
      random.bytes(count: count)
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .null
    case 1: return .integer(extremes.randomElement(using: &random) ?? 0)
    case 2:
      return .integer(
        Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random))
    case 3: return .real(reals.randomElement(using: &random) ?? 0)
    case 4: return .text(bytes(Int.random(in: 0...70, using: &random)))
    case 5: return .blob(bytes(Int.random(in: 0...70, using: &random)))
    case 6: return .text([0, 0xFF, 0xC3, 0, 0xED, 0xA0, 0x80])
    default: return Int.random(in: 0..<40, using: &random) == 0 ? .blob(bytes(20_000)) : .blob([])
    }
  }

  /// Both sides of every limit of a size of integer.
  static let extremes: [Int64] =
    [0, 1, 2, -1, -2, .min, .max]
    + [7, 15, 23, 31, 47].flatMap { bits -> [Int64] in
      let limit = Int64(1) << bits
      return [limit - 1, limit, limit + 1, -limit - 1, -limit, -limit + 1]
    }

  static let reals: [Double] = [
    0, -0.0, 1, -1.5, .pi, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    -.leastNormalMagnitude,
  ]
}
