public import TributaryCore
public import TributaryReplay

/// Why transactions that have arrived cannot be imported yet, or others have what has not arrived, and what ends the delay.
public struct Delay: Sendable {
  /// What waits: the first transaction of each peer; empty if nothing that has arrived waits.
  public var waiting: [Waiting]
  /// What waits, for what, and who could bring that, as a phrase.
  public var explanation: String
  /// What the user can do.
  @Worded public var remedy: String
  /// Whether no carrier alone can end it: what is missing cannot come, or has been missing for
  /// longer than `patience`, or what has arrived cannot be imported here.
  public var needsHelp: Bool
  /// When this store first saw it, in milliseconds since 1970.
  public var since: UInt64

  /// In milliseconds: for a day, the store waits silently for what merely has not arrived.
  package static let patience: UInt64 = 24 * 3_600_000

  /// In milliseconds: a file that is cut short counts as being on its way for an hour.
  package static let filePatience: UInt64 = 3_600_000
}

extension Delay: CustomStringConvertible {
  /// One sentence: what waits for what, and the remedy.
  public var description: String { "\(explanation); \(remedy)" }
}
