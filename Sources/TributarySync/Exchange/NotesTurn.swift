import Synchronization

/// When a session reads the notes of an earlier one, and when it writes its own: each once.
final class NotesTurn: Sendable {
  private enum Turn: UInt8, AtomicRepresentable {
    case reading, writing, none
  }

  private let next = Atomic(Turn.reading)

  /// Whether the notes should be read. True once.
  func isFirst() -> Bool { take(.reading, before: .writing) }

  /// Whether notes should be written. True once, after the first.
  func isLast() -> Bool { take(.writing, before: .none) }

  private func take(_ turn: Turn, before following: Turn) -> Bool {
    next.compareExchange(expected: turn, desired: following, ordering: .relaxed).exchanged
  }
}
