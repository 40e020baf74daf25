/// What a write is for; most writes are for anything.
package enum WriteOccasion: Sendable {
  case any
  /// Writes rows that refer to others, with those or without.
  case family
  /// Deletes rows to which others may refer.
  case loss
  /// Changes rows.
  case change
}
