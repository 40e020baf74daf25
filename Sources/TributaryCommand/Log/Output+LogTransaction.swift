import TributaryFiles
import TributaryInspection

extension Output {
  /// Returns `<peer>:<sequence>  <time>  <name>`, as readable text.
  func heading(of transaction: LogTransaction, name: String?) -> String {
    styled("\(transaction.peer):\(transaction.header.sequence)", .bold)
      + Self.moment(of: transaction, name: name)
  }

  /// Returns the heading without a style.
  func plainHeading(of transaction: LogTransaction, name: String?) -> String {
    "\(transaction.peer):\(transaction.header.sequence)"
      + Self.moment(of: transaction, name: name)
  }

  private static func moment(of transaction: LogTransaction, name: String?) -> String {
    let header = transaction.header
    let time = Timestamp.text(milliseconds: header.time.milliseconds)
    let counter = header.time.counter == 0 ? "" : " +\(header.time.counter)"
    let name = name.map { "  " + Escaping.escaped($0) } ?? ""
    return "  \(time)\(counter)\(name)"
  }

  /// Returns the word for a change's operation, in its colour.
  func styled(_ change: DecodedChange) -> String {
    let style: Style =
      switch change.operation {
      case .insert, .replace: .green
      case .update: .yellow
      case .delete: .red
      }
    return styled(change.operationText, style)
  }
}
