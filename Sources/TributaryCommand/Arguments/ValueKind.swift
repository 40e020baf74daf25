/// What a word of the command line means, so that shells can complete it.
package enum ValueKind: Hashable, Sendable {
  case file
  case directory
  case text
  /// One of these words.
  case choice([String])
}
