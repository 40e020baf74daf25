import TributaryContainer
import TributaryCore
import TributaryLog

/// The segments that a store has published.
struct PublishedLog {
  let segments: SegmentStore
  let names: [SegmentName]

  /// Returns their uncompressed size.
  func payloadByteCount() throws -> UInt64 {
    var count: UInt64 = 0
    for name in names {
      var reader = try SegmentReader(source: segments.open(name))
      while try reader.nextTransaction() != nil {}
      count += reader.payloadOffset
    }
    return count
  }

  /// Divides the same transactions into smaller segments. Publishing that many one by one would
  /// take an hour.
  func split(transactionsPerSegment: Int) throws {
    for name in names {
      var reader = try SegmentReader(source: segments.open(name))
      var group = TransactionGroup()
      while let transaction = try reader.nextTransaction() {
        try group.append(transaction, from: &reader)
        if group.count == transactionsPerSegment {
          try group.publish(to: segments, header: reader.header)
          group = TransactionGroup()
        }
      }
      if group.count > 0 { try group.publish(to: segments, header: reader.header) }
      try segments.remove(name)
    }
  }
}
