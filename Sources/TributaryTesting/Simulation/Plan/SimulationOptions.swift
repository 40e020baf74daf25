/// What may happen in a simulation.
package struct SimulationOptions: Sendable {
  /// A deliberate error of the fleet, with which to check the checks.
  package enum Sabotage: Sendable, CaseIterable {
    /// Nothing becomes durable.
    case ignoredSynchronization
    /// After an import, one row is not as the import left it.
    case lostRow
    /// A transaction counts as imported, but never was.
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
    /// A device claims to know what it does not.
    case boastfulReceipt
    /// A problem with the container ends the synchronisation with an error.
    case thrownFailure
  }

  /// Whether there are accidents of carriers, crashes and errors. Without them, files only arrive
  /// late.
  package var hasFaults = true
  /// Whether stores are restored from backups, and copied, in half of the fleets. Their commits are
  /// identified by times from then on, so less can be checked about them than about those of the others.
  package var hasIdentityFaults = true
  /// Whether the devices agree on horizons, forget what lies beneath, and remove it.
  package var forgets = false
  /// The number of devices; `nil` draws it.
  package var deviceCount: Int?
  package var sabotage: Sabotage?

  package init() {}
}
