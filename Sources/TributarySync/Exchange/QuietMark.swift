import TributaryContainer
import TributaryCore
import TributaryStore

/// The state of a store and its container before a synchronisation that found nothing to do. The store keeps
/// it for the next session, which may be in another process. That session then sees that there is still
/// nothing to do without listing the directories of many peers and reading their files.
struct QuietMark: Equatable {
  /// The hash of all that a synchronisation depends on, except for the `peer.json` files.
  var state: UInt64
  /// The hash of the status of each share of those files.
  var manifests: [UInt64]

  /// Replacing a `peer.json` changes the stamp of the peer's directory. Overwriting it in place does not. So
  /// each look asks for the status of one share of the files, chosen at random.
  static let shareCount = ListingMemory.shareCount
  /// One look in this many, chosen at random, examines everything anew: a clock that was set back may repeat
  /// a stamp.
  static let wholeShare: UInt64 = 60
}

// MARK: Keeping

extension QuietMark {
  /// Reads the mark that a store keeps.
  ///
  /// - Returns: `nil` if the store keeps no mark that this program understands.
  init?(reading settings: Settings) throws {
    guard let text = try settings.text(.quiet) else { return nil }
    let numbers = text.utf8.split(separator: UInt8(ascii: " ")).compactMap { UInt64(lowerHex: $0) }
    guard numbers.count == 1 + Self.shareCount else { return nil }
    self.init(state: numbers[0], manifests: Array(numbers[1...]))
  }

  /// Makes the store keep the mark.
  func keep(in settings: Settings) throws {
    let numbers = [state] + manifests
    try settings.set(.quiet, .string(numbers.map(\.lowerHex).joined(separator: " ")))
  }
}
