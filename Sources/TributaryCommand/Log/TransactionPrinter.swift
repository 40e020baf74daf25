import TributaryCore
import TributaryInspection

/// Prints one transaction while its changes are read. For a very large one, the output says if it
/// ends too early.
struct TransactionPrinter {
  private let transaction: LogTransaction
  private let name: String?
  private let printsJSON: Bool
  private let output: Output
  private var held: HeldOutput
  private var changeCount = 0
  private var hasBegun = false

  init(_ transaction: LogTransaction, name: String?, printsJSON: Bool, to output: Output) {
    self.transaction = transaction
    held = HeldOutput(output)
    self.name = name
    self.printsJSON = printsJSON
    self.output = output
  }

  /// Prints a complete transaction. A transaction without changes is printed only if none of its
  /// changes was left out.
  ///
  /// - Throws: what reading it throws; nothing, or a notice, is printed then.
  static func print(
    _ transaction: LogTransaction, name: String?, printsJSON: Bool, to output: Output
  ) throws {
    var printer = TransactionPrinter(transaction, name: name, printsJSON: printsJSON, to: output)
    do {
      if !transaction.isSelected { printer.begin() }
      while let (change, shape) = try transaction.nextChange() {
        try printer.print(DecodedChange(change, shape))
      }
    } catch let error as OutputError {
      throw error
    } catch {
      try printer.abandon()
      throw error
    }
    try printer.end()
  }

  private mutating func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    if printsJSON {
      // The members up to the list of changes, which stays open.
      let head = head().bytes
      held.bytes += head.prefix(head.count - "]}".utf8.count)
    } else {
      held.bytes += textHead().utf8
    }
  }

  private mutating func print(_ change: DecodedChange) throws(OutputError) {
    begin()
    if printsJSON {
      if changeCount > 0 { held.bytes.append(UInt8(ascii: ",")) }
      held.bytes += Self.json(change).bytes
    } else {
      held.bytes += text(change).utf8
    }
    changeCount += 1
    try held.releaseLarge()
  }

  private mutating func end() throws(OutputError) {
    guard hasBegun else { return }
    if printsJSON { held.bytes += "]}\n".utf8 }
    try held.release()
  }

  private mutating func abandon() throws(OutputError) {
    try held.abandon(printsJSON ? "],\"incomplete\":true}\n" : "  the rest is damaged\n")
  }

  // MARK: JSON

  private func head() -> JSONWriter {
    var json = JSONWriter()
    json.object { json in
      let header = transaction.header
      json.member("peer", transaction.peer.description)
      json.member("sequence", header.sequence.rawValue)
      json.stampMembers(header.time)
      if let horizon = transaction.unknownHorizon { json.member("horizon", horizon.lowerHex) }
      json.member("knowledge") { $0.knowledge(header.knowledge) }
      if let basis = header.basis { json.member("basis") { $0.knowledge(basis) } }
      json.member("schema", transaction.schema)
      json.member("changes") { $0.array { _ in } }
    }
    return json
  }

  private static func json(_ change: DecodedChange) -> JSONWriter {
    var json = JSONWriter()
    json.object { json in
      json.changeMembers(change)
    }
    return json
  }

  // MARK: Text

  private func textHead() -> String {
    let header = transaction.header
    var text = output.heading(of: transaction, name: name) + "\n"
    if let horizon = transaction.unknownHorizon {
      text += "  above the horizon \(horizon.lowerHex), which no baseline here declares\n"
    }
    if !header.knowledge.isEmpty { text += "  knows \(Self.text(header.knowledge))\n" }
    if let basis = header.basis { text += "  based on \(Self.text(basis))\n" }
    return text
  }

  private static func text(_ knowledge: Knowledge) -> String {
    knowledge.entries.map { "\($0.peer):\($0.sequence)" }.joined(separator: " ")
  }

  private func text(_ change: DecodedChange) -> String {
    let operation = output.styled(change)
    let values = change.values.map { "\(Escaping.escaped($0.column))=\(Literal.text($0.value))" }
    let place = "\(Escaping.escaped(change.table)) \(Literal.key(change.key))"
    return (["  \(operation) \(place)"] + values).joined(separator: " ") + "\n"
  }
}
