/// When a store proposes what may be forgotten, and how long it waits for others. Rules have the numbers of
/// `docs/space.md`. Times are in milliseconds.
package struct HorizonPolicy: Sendable {
  /// Whether the store proposes, promises, follows, forgets and removes. Earlier promises bind it even if it
  /// does not.
  package var isOn = true
  /// A horizon contains nothing younger than this, so that a form may stay open for this long.
  package var minimumAge = SynchronisedDays.milliseconds
  /// The shortest time from one proposal or promise to the next proposal.
  package var interval = SynchronisedDays.milliseconds
  /// How long a proposal waits for an active peer that is not a member of it (rule 6.4), and how long the
  /// members that are to write its baseline are waited for before another one writes it (rule 17).
  package var courtesy = SynchronisedDays.milliseconds
  /// How long logs that would have to be read again must be missing before a horizon that contains them is
  /// proposed (rule 25).
  package var lossPatience = SynchronisedDays.milliseconds
  /// A proposal is due when all logs together are at least this part of the database: 6 means a sixth.
  package var logShare: UInt64 = 6
  /// A proposal is due when the logs consist of at least this many files.
  package var fileCount = 1000
  /// A proposal is due after this time, whatever the size of the logs.
  package var period = 30 * SynchronisedDays.milliseconds
  /// A peer that has been silent for this many of the store's days is left out (rule 5).
  package var patience = 90
  /// The same limit while the logs are larger than a compressed copy of all data.
  package var crowdedPatience = 21

  package init() {}
}
