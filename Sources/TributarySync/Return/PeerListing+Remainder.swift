import TributaryContainer
import TributaryCore

extension PeerListing {
  /// Returns the transaction after which the files have all others up to a given one, judging by their names; the
  /// given one itself if they lack it.
  func remainder(upTo last: SequenceNumber) -> SequenceNumber {
    var (beginning, end) = (SequenceNumber.zero, SequenceNumber.zero)
    for segment in segments where segment.name.first <= last {
      if segment.name.first > end.next {
        beginning = SequenceNumber(segment.name.first.rawValue - 1)
      }
      end = max(end, segment.name.last)
    }
    return end >= last ? beginning : last
  }
}
