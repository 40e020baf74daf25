import TributaryCore
import TributaryStore

/// What a store and its container were before a synchronisation that found nothing to do. The store keeps it, so that the
/// next session, be it in another process, sees that there is still nothing to do without listing the directories of many
/// peers and reading their files.
struct QuietMark: Equatable {
  /// The hash of all that a synchronisation depends on, except for the files `peer.json`.
  var state: UInt64
  /// The hash of the status of each share of those files.
  var manifests: [UInt64]

  /// Fewer peers are looked at as fast as a mark is compared.
  static let fewestPeers = 32

  /// A `peer.json` that is replaced gives the peer's directory another stamp. One that is written over in its place does
  /// not. So each look asks for the status of one share of the files, by chance.
  static let shareCount = 8

  /// One look in as many finds out everything anew, by chance: a clock that was set back may repeat a stamp.
  static let wholeShare: UInt64 = 60
}

// MARK: Keeping

extension QuietMark {
  /// Reads the mark that a store keeps.
  ///
  /// - Returns: `nil` if it keeps none that this program understands.
  init?(reading settings: Settings) throws {
    guard let text = try settings.text(.quiet) else { return nil }
    let numbers = text.utf8.split(separator: UInt8(ascii: " ")).compactMap { UInt64(lowerHex: $0) }
    guard numbers.count == 1 + Self.shareCount else { return nil }
    self.init(state: numbers[0], manifests: Array(numbers[1...]))
  }

  /// Has the store keep the mark.
  func keep(in settings: Settings) throws {
    let numbers = [state] + manifests
    try settings.set(.quiet, .string(numbers.map(\.lowerHex).joined(separator: " ")))
  }
}
