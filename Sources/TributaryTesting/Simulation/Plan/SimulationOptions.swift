/// What may happen in a simulation.
package struct SimulationOptions: Sendable {
  /// Something that makes the fleet fail, so that the checks can be checked.
  package enum Sabotage: Sendable, CaseIterable {
    /// Nothing that is to become durable does.
    case ignoredSynchronization
    /// After an import one row is not as the import left it.
    case lostRow
    /// A transaction counts as imported, and never was.
    case skippedTransaction
    /// A device writes into the directory of another.
    case foreignWrite
    /// A device writes to its container without a reason each time.
    case restlessness
    /// A published segment is written again with other bytes.
    case changedSegment
    /// A conflict that lasts is forgotten.
    case lostConflict
    /// A row refers to another that is not there.
    case brokenReference
    /// The carrier leaves out a file for ever.
    case undeliveredFile
    /// A device says to know what it does not.
    case boastfulReceipt
    /// What goes wrong with the container ends the synchronisation with an error.
    case thrownFailure
  }

  /// Carriers, crashes, errors. Without them files arrive late, and nothing else happens.
  package var hasFaults = true
  /// Stores brought back from backups, and copied, in half of the fleets: their commits are known by
  /// times from then on, so less can be said about them than about those of the others.
  package var hasIdentityFaults = true
  /// `nil` draws it.
  package var deviceCount: Int?
  package var sabotage: Sabotage?

  package init() {}
}
