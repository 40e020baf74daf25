import TributaryCore
import TributaryFiles
import TributaryStore

/// Says in words what a conflict is, fit for showing.
struct ConflictText {
  /// What people call the peers; those without a name are shown by their identity.
  let names: [PeerIdentity: String]

  /// So many columns of a terminal does a cell of a table take at most.
  private static let width = 48

  /// `title = 'Blue', rating = 3`, cut off where it gets long.
  func values(_ cells: [Conflict.Cell]) -> String {
    let text = cells.map { "\(Escaping.escaped($0.column)) = \(Literal.text($0.value))" }
      .joined(separator: ", ")
    return text.columnCount > Self.width ? text.prefix(Self.width - 1) + "…" : text
  }

  /// What is visible in the place of the losing values.
  func visible(_ conflict: Conflict, row: [Conflict.Cell]?) -> String {
    guard let row else { return conflict.isHeld ? "held" : "deleted" }
    return values(
      conflict.values.map { cell in row.first { SQLName($0.column) == SQLName(cell.column) } ?? cell
      })
  }

  func author(_ side: Conflict.Side) -> String {
    Escaping.escaped(names[side.peer] ?? side.peer.description)
  }

  func time(_ side: Conflict.Side) -> String {
    Timestamp.text(milliseconds: side.time.milliseconds)
  }
}
