internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles

/// A file with transactions that were not handed out yet.
struct FollowedFile {
  let segment: LogSegment
  /// Whether it was read to its end, and all of it is right.
  var isWhole = false

  var range: ClosedRange<SequenceNumber> { segment.header.first...segment.header.last }
}

/// What is known of a path.
enum FollowedPath {
  /// Everything in it was handed out, or was there before the start.
  case done
  /// It holds something new.
  case news(PeerIdentity)
  /// It could not be read when it was like this; carriers bring files in pieces.
  case torn(FileStatus?, LogFinding, isReported: Bool)
}
