/// The purpose of a write; most writes serve any purpose.
package enum WriteOccasion: Sendable {
  case any
  /// Writes rows that refer to others, with or without those others.
  case family
  /// Deletes rows to which others may refer.
  case loss
  /// Changes rows.
  case change
}
