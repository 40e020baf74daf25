import Synchronization
import TributaryContainer

/// Whether something was listed and could not be found a moment later, in one synchronisation. It may be back
/// although nothing looks different then: some network file systems say for a moment that a new file is missing.
/// So the next synchronisation must not conclude that there is nothing to do.
final class Vanishing: Sendable {
  private let hasHappened = Atomic(false)

  /// Notes that something has vanished.
  func note() { hasHappened.store(true, ordering: .relaxed) }

  /// Notes that something has vanished if this is why it could not be read.
  func note(_ error: any Error) {
    if (error as? ContainerError)?.code == .missingFile { note() }
  }

  /// Returns whether something has vanished since this was last asked.
  func take() -> Bool { hasHappened.exchange(false, ordering: .relaxed) }
}
