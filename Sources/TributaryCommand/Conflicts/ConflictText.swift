import TributaryCore
import TributaryFiles
import TributaryStore

/// Describes a conflict in words that are safe to print.
struct ConflictText {
  /// The readable names of the peers; a peer without one is shown by its identity.
  let names: [PeerIdentity: String]

  /// The largest width of a table cell, in columns of a terminal.
  private static let width = 48

  /// Returns, for example, `title = 'Blue', rating = 3`, cut off if it gets long.
  func values(_ cells: [Conflict.Cell]) -> String {
    let text = cells.map { "\(Escaping.escaped($0.column)) = \(Literal.text($0.value))" }
      .joined(separator: ", ")
    return text.columnCount > Self.width ? text.prefix(Self.width - 1) + "…" : text
  }

  /// Returns what is visible in place of the losing values.
  func visible(_ conflict: Conflict, row: [Conflict.Cell]?) -> String {
    guard let row else { return conflict.isHeld ? "held" : "deleted" }
    return values(
      conflict.values.map { cell in row.first { SQLName($0.column) == SQLName(cell.column) } ?? cell
      })
  }

  func author(_ side: Conflict.Side) -> String {
    side == .earliest ? "-" : Escaping.escaped(names[side.peer] ?? side.peer.description)
  }

  func time(_ side: Conflict.Side) -> String {
    side == .earliest
      ? "before the horizon" : Timestamp.text(milliseconds: side.time.milliseconds)
  }

  func transaction(_ side: Conflict.Side) -> String {
    side == .earliest
      ? time(side) : "transaction \(side.sequence) of \(author(side)), \(time(side))"
  }
}
