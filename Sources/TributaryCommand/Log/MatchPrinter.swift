import TributaryCore
import TributaryInspection
import TributaryLog

/// Prints the matching changes of one transaction.
struct MatchPrinter {
  private let transaction: LogTransaction
  private let pattern: ValuePattern
  private let printsJSON: Bool
  private let output: Output
  private var held: HeldOutput
  /// The beginning of each line, once there is one.
  private var heading: String?
  private let name: String?

  init(
    _ transaction: LogTransaction, _ pattern: ValuePattern, name: String?, printsJSON: Bool,
    to output: Output
  ) {
    self.transaction = transaction
    self.pattern = pattern
    self.name = name
    self.printsJSON = printsJSON
    self.output = output
    held = HeldOutput(output)
  }

  /// Prints a change.
  ///
  /// - Parameter matched: the columns that match, counted from 0.
  mutating func print(_ change: ChangeView, _ shape: TableShape, _ matched: [Int]) throws {
    let decoded = try DecodedChange(change, shape)
    if printsJSON {
      held.bytes += json(decoded, matched.map { shape.columns[$0] }).bytes
    } else {
      held.bytes += try text(decoded, shape, matched).utf8
    }
    held.bytes.append(UInt8(ascii: "\n"))
    try held.releaseLarge()
  }

  mutating func end() throws(OutputError) {
    if !held.bytes.isEmpty { try held.release() }
  }

  mutating func abandon() throws(OutputError) {
    let place = "\(transaction.peer):\(transaction.header.sequence)"
    try held.abandon(
      printsJSON
        ? ExportedChange.incomplete(transaction) + "\n" : "\(place)  the rest is damaged\n")
  }

  private func json(_ change: DecodedChange, _ matched: [String]) -> JSONWriter {
    var json = JSONWriter()
    json.object { json in
      json.transactionMembers(transaction)
      json.changeMembers(change)
      json.member("matched", strings: matched)
    }
    return json
  }

  private mutating func text(
    _ change: DecodedChange, _ shape: TableShape, _ matched: [Int]
  ) throws -> String {
    let heading = heading ?? output.heading(of: transaction, name: name)
    self.heading = heading
    let marks = MatchText(pattern, output)
    let values: [String]
    if pattern.isEverything {
      values = change.values.map { "\(Escaping.escaped($0.column))=\(Literal.text($0.value))" }
    } else {
      values = try matched.map { column in
        let name = Escaping.escaped(shape.columns[column])
        return "\(name)=\(try marks.text(value(column, change, shape)))"
      }
    }
    let place = "\(Escaping.escaped(change.table)) \(Literal.key(change.key))"
    return ([heading + "  \(output.styled(change)) \(place)"] + values).joined(separator: " ")
  }

  private func value(_ column: Int, _ change: DecodedChange, _ shape: TableShape) -> Value {
    if let part = shape.keys.firstIndex(where: { $0.column == column }) { return change.key[part] }
    let name = shape.columns[column]
    return change.values.first { $0.column.utf8.elementsEqual(name.utf8) }?.value ?? .null
  }
}
