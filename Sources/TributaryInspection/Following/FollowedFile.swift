internal import TributaryCore
internal import TributaryFiles
internal import TributaryReplay

/// A file with transactions that were not passed on yet.
struct FollowedFile {
  let segment: LogSegment
  /// Whether it was read to its end and is correct.
  var isWhole = false

  var range: ClosedRange<SequenceNumber> { segment.header.first...segment.header.last }
}

/// What is known about a path.
enum FollowedPath {
  /// Everything in it was passed on, or existed before the start.
  case done
  /// It contains something new.
  case news(PeerIdentity)
  /// It could not be read in this state; carriers bring files in pieces.
  case torn(FileStatus?, LogFinding, isReported: Bool)
}
