import TributaryCore
import TributaryLog

/// Checks any items in a file whose other parts are correct.
///
/// | Offset | Size | Field                                          |
/// |--------|------|------------------------------------------------|
/// |      0 |   16 | peer                                           |
/// |     16 |    8 | sequence of the first transaction              |
/// |     24 |    8 | hybrid time of the first transaction           |
/// |     32 |      | the payload                                    |
package enum PayloadCheck {
  /// The number of bytes before the payload.
  package static let headByteCount = 32

  static func run(_ bytes: [UInt8]) throws(FuzzFailure) {
    guard bytes.count >= headByteCount else { return }
    let number = { (offset: Int) in
      (0..<8).reduce(0 as UInt64) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
    }
    let peer = bytes.withUnsafeBytes { PeerIdentity(bytes: $0) }
    let (first, time) = (number(16), number(24))
    guard let peer, first >= 1, first < SequenceNumber.max.rawValue, time < .max else { return }
    let payload = Array(bytes.dropFirst(headByteCount))
    var header = SegmentHeader(
      peer: peer, first: SequenceNumber(first), last: .max, firstTime: .init(rawValue: time),
      lastTime: .init(rawValue: .max), contentName: "Library", knowledge: Knowledge())
    // Reading the transactions with a header that announces more shows what the trailer must
    // contain.
    let promised = try read(header, payload, trailer: [])
    guard let last = promised.model?.transactions.last?.header else { return }
    header.last = last.sequence
    header.knowledge = last.knowledge
    header.lastTime = last.time
    let trailer = trailer(of: promised, payload)
    let reading = try read(header, payload, trailer: trailer)
    let isWhole =
      promised.error?.offset == UInt64(payload.count) && promised.error?.region == .payload
      && promised.counts[0] == UInt64(promised.headerEnds.count)
    // Everything was read, except for the excess that the header had announced.
    if isWhole,
      promised.error?.message == "the payload ends before transaction \(last.sequence.next)"
    {
      try FuzzFailure.demand(
        reading.error == nil, "items that were right are not: \(String(describing: reading.error))")
    }
  }

  private static func read(
    _ header: SegmentHeader, _ payload: [UInt8], trailer: [UInt8]
  ) throws(FuzzFailure) -> SegmentReading {
    let file: [UInt8]
    do throws(LogError) {
      let content = try header.encoded()
      file =
        SegmentFrames(
          header: SegmentFrames.skippable(SegmentFrames.headerMagic, content),
          payload: try SegmentFrames.compressed(payload),
          trailer: SegmentFrames.skippable(
            SegmentFrames.trailerMagic, trailer + SegmentFrames.checksum(content))
        ).bytes
    } catch { throw FuzzFailure("the frames cannot be made: \(error)") }
    return try SegmentCheck.run(file)
  }

  /// Returns the trailer of the payload, without its checksum.
  private static func trailer(of reading: SegmentReading, _ payload: [UInt8]) -> [UInt8] {
    let transactions = reading.model?.transactions ?? []
    var index = ByteBuffer()
    var count: UInt32 = 0
    var stretch: UInt64 = 0
    var knowledge = Knowledge()
    for (transaction, end) in zip(transactions, reading.headerEnds) {
      let offset = end - byteCount(of: transaction.header, after: knowledge)
      knowledge = transaction.header.knowledge
      guard offset >> 18 >= stretch else { continue }
      stretch = offset >> 18 + 1
      count += 1
      index.append(littleEndian: transaction.header.sequence.rawValue)
      index.append(littleEndian: offset)
    }
    var buffer = ByteBuffer()
    buffer.append(littleEndian: UInt64(transactions.count))
    buffer.append(littleEndian: UInt64(transactions.reduce(0) { $0 + $1.changes.count }))
    buffer.append(littleEndian: UInt64(payload.count))
    buffer.append(littleEndian: count)
    buffer.append(index.bytes)
    return Array(buffer.bytes)
  }

  /// Returns the size of a transaction's item, which has a unique encoding.
  private static func byteCount(of header: TransactionHeader, after previous: Knowledge) -> UInt64 {
    var buffer = ByteBuffer()
    func append(_ entries: [Knowledge.Entry]) {
      buffer.append(variable: UInt64(entries.count))
      for entry in entries {
        buffer.append(littleEndian: entry.peer.high)
        buffer.append(littleEndian: entry.peer.low)
        buffer.append(variable: entry.sequence.rawValue)
      }
    }
    buffer.append(variable: header.sequence.rawValue)
    buffer.append(variable: UInt64(header.schema))
    append(header.knowledge.entries.filter { previous[$0.peer] < $0.sequence })
    if let basis = header.basis { append(basis.entries) }
    // The code, the time, and whether there is a basis.
    return UInt64(buffer.count) + 1 + 8 + 1
  }
}
