public import TributaryCore
public import TributaryReplay

/// Why transactions that have arrived cannot be imported yet, or why transactions that exist elsewhere have
/// not arrived, and what ends the delay.
public struct Delay: Sendable {
  /// The first waiting transaction of each peer; empty if nothing that has arrived waits.
  public var waiting: [Waiting]
  /// What waits, what it waits for, and which devices could bring that, as a phrase.
  public var explanation: String
  /// What the user can do.
  @Worded public var remedy: String
  /// Whether a carrier alone cannot end the delay: something missing cannot come or has been missing for
  /// longer than `patience`, or something that has arrived cannot be imported here.
  public var needsHelp: Bool
  /// When this store first saw the delay, in milliseconds since 1970.
  public var since: UInt64

  /// In milliseconds: for a day, the store waits silently for transactions that merely have not arrived.
  package static let patience: UInt64 = 24 * 3_600_000

  /// In milliseconds: for an hour, a file that is cut short counts as being on its way.
  package static let filePatience: UInt64 = 3_600_000
}

extension Delay: CustomStringConvertible {
  /// One sentence: what waits for what, and the remedy.
  public var description: String { "\(explanation); \(remedy)" }
}
