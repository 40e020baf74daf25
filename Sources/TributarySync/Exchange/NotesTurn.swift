import Synchronization

/// When a session reads the notes of an earlier one, and when it writes its own: each once.
final class NotesTurn: Sendable {
  private let hasBegun = Atomic(false)
  private let hasEnded = Atomic(false)

  /// Whether the notes should be read. True once.
  func isFirst() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }

  /// Whether notes should be written. True once, after the first.
  func isLast() -> Bool {
    hasBegun.load(ordering: .relaxed) && !hasEnded.exchange(true, ordering: .relaxed)
  }
}
