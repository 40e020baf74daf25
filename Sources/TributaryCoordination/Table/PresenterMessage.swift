/// A question or a notification for a presenter.
package struct PresenterMessage: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    case relinquishToReader, relinquishToWriter, saveChanges, accommodateDeletion
    case accommodateSubitemDeletion
    case reacquire
    case didChange, didMove, subitemDidAppear, subitemDidChange, subitemDidMove
    case didGainVersion, didLoseVersion, didResolveVersion
    case subitemDidGainVersion, subitemDidLoseVersion, subitemDidResolveVersion

    /// Whether a claim waits for the answer.
    package var needsAnswer: Bool { rawValue <= Kind.accommodateSubitemDeletion.rawValue }
  }

  package var number: UInt64
  package var presenter: UInt64
  package var kind: Kind
  /// The claim that waits for the answer, or has ended; 0 for none.
  package var claim: UInt64 = 0
  /// The item, if the message is about an item other than the presenter's; otherwise empty.
  package var path = ""
  /// Where an item has moved, or the version that appeared or disappeared; otherwise empty.
  package var otherPath = ""
  /// Whether the process of the presenter has fetched the message.
  package var isDelivered = false
}
