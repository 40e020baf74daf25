internal import TributaryTesting

/// What may happen in a simulation.
package struct SimulationOptions: Sendable {
  /// A deliberate error of the fleet, used to test the checks.
  package enum Sabotage: Sendable, CaseIterable {
    /// Nothing becomes durable.
    case ignoredSynchronization
    /// After an import, one row is changed.
    case lostRow
    /// A transaction counts as imported but never was.
    case skippedTransaction
    /// A device writes into the directory of another.
    case foreignWrite
    /// A device keeps writing to its container without a reason.
    case restlessness
    /// A published segment is written again with other bytes.
    case changedSegment
    /// An open conflict is forgotten.
    case lostConflict
    /// A row refers to a row that does not exist.
    case brokenReference
    /// The carrier permanently leaves out a file.
    case undeliveredFile
    /// A device claims to know something that it does not know.
    case boastfulReceipt
    /// A problem with the container ends the synchronisation with an error.
    case thrownFailure
  }

  /// Whether there are carrier accidents, crashes and errors. Without them, files only arrive late.
  package var hasFaults = true
  /// Whether stores are restored from backups, and copied, in half of the fleets. From then on their commits
  /// are identified by times, so less can be checked about them than about the commits of the others.
  package var hasIdentityFaults = true
  /// Whether the devices agree on horizons, and forget and remove what is below them.
  package var forgets = false
  /// The number of devices; `nil` means a random number.
  package var deviceCount: Int?
  package var sabotage: Sabotage?

  package init() {}
}
