import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryInspection
import TributaryLog

/// Prints one transaction while its changes are read.
///
/// A transaction is held back until it is complete, so that one in a damaged file is not printed in
/// part; only very large ones are printed on the way, and then say so when they end too early.
struct TransactionPrinter {
  private let cursor: SegmentCursor
  private let transaction: TransactionHeader
  private let name: String?
  private let printsJSON: Bool
  private let output: Output
  private var held: [UInt8] = []
  private var changeCount = 0
  private var hasBegun = false
  private var hasPrinted = false

  private static let heldByteCount = 16 << 20

  init(
    _ cursor: SegmentCursor, _ transaction: TransactionHeader, name: String?, printsJSON: Bool,
    to output: Output
  ) {
    self.cursor = cursor
    self.transaction = transaction
    self.name = name
    self.printsJSON = printsJSON
    self.output = output
  }

  /// Prints the transaction even if no change follows.
  mutating func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    if printsJSON {
      // The members up to the list of changes, which stays open.
      let head = head().bytes
      held += head.prefix(head.count - "]}".utf8.count)
    } else {
      held += textHead().utf8
    }
  }

  mutating func print(_ change: DecodedChange) throws(OutputError) {
    begin()
    if printsJSON {
      if changeCount > 0 { held.append(UInt8(ascii: ",")) }
      held += Self.json(change).bytes
    } else {
      held += text(change).utf8
    }
    changeCount += 1
    if held.count >= Self.heldByteCount {
      hasPrinted = true
      try release()
    }
  }

  /// All changes were printed.
  mutating func end() throws(OutputError) {
    guard hasBegun else { return }
    if printsJSON { held += "]}\n".utf8 }
    try release()
  }

  /// No more changes can be read.
  mutating func abandon() throws(OutputError) {
    held.removeAll()
    guard hasPrinted else { return }
    try output.write(printsJSON ? "],\"incomplete\":true}\n" : "  the rest is damaged\n")
  }

  private mutating func release() throws(OutputError) {
    try output.write(held)
    held.removeAll(keepingCapacity: true)
  }

  // MARK: JSON

  private func head() -> JSONWriter {
    var json = JSONWriter()
    json.object { json in
      json.member("peer", cursor.peer.description)
      json.member("sequence", transaction.sequence.rawValue)
      json.stampMembers(transaction.time)
      json.member("knowledge") { $0.knowledge(transaction.knowledge) }
      if let basis = transaction.basis { json.member("basis") { $0.knowledge(basis) } }
      json.member("schema", cursor.schema)
      json.member("changes") { $0.array { _ in } }
    }
    return json
  }

  private static func json(_ change: DecodedChange) -> JSONWriter {
    var json = JSONWriter()
    json.object { json in
      json.member("table", change.table)
      json.member("op", change.operationName)
      json.member("key") { $0.key(change.key) }
      json.member("values") { json in
        json.object { json in
          for (column, value) in change.values { json.member(column) { $0.value(value) } }
        }
      }
    }
    return json
  }

  // MARK: Text

  private func textHead() -> String {
    let time = Timestamp.text(milliseconds: transaction.time.milliseconds)
    let counter = transaction.time.counter == 0 ? "" : " +\(transaction.time.counter)"
    let name = name.map { "  " + Escaping.escaped($0) } ?? ""
    var text =
      output.styled("\(cursor.peer):\(transaction.sequence)", .bold)
      + "  \(time)\(counter)\(name)\n"
    if !transaction.knowledge.isEmpty { text += "  knows \(Self.text(transaction.knowledge))\n" }
    if let basis = transaction.basis { text += "  based on \(Self.text(basis))\n" }
    return text
  }

  private static func text(_ knowledge: Knowledge) -> String {
    knowledge.entries.map { "\($0.peer):\($0.sequence)" }.joined(separator: " ")
  }

  private func text(_ change: DecodedChange) -> String {
    let style: Style =
      switch change.operation {
      case .insert, .replace: .green
      case .update: .yellow
      case .delete: .red
      }
    let operation = output.styled(change.operationName, style)
    let values = change.values.map { "\(Escaping.escaped($0.column))=\(Literal.text($0.value))" }
    let place = "\(Escaping.escaped(change.table)) \(Literal.key(change.key))"
    return (["  \(operation) \(place)"] + values).joined(separator: " ") + "\n"
  }
}
