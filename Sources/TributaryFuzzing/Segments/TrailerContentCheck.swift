import TributaryCore
import TributaryLog

/// Checks any trailer after a correct header and payload.
///
/// In the first byte, bit 0 says whether the checksum of the header is appended, bit 1 whether the file is of
/// a newer minor version.
package enum TrailerContentCheck {
  /// Three transactions in two stretches of payload, in the current version and in a newer one.
  private static let files = Result { try [file(minor: 0), file(minor: 2)] }

  static func run(_ bytes: [UInt8]) throws(FuzzFailure) {
    guard let choice = bytes.first else { return }
    let frames: SegmentFrames
    do { frames = try files.get()[Int(choice >> 1 & 1)] } catch {
      throw FuzzFailure("the file cannot be made: \(error)")
    }
    let checksum = SegmentFrames.checksum(Array(frames.header.dropFirst(8)))
    let content = Array(bytes.dropFirst()) + (choice & 1 == 1 ? checksum : [])
    var file = frames
    file.trailer = SegmentFrames.skippable(SegmentFrames.trailerMagic, content)
    let right = frames.trailer.dropFirst(8).dropLast(8)
    let isRight =
      content.starts(with: right) && content.count >= right.count + 8
      && content.suffix(8).elementsEqual(checksum)
      && (choice & 2 == 2 || content.count == right.count + 8)
    let reading = try SegmentCheck.run(file.bytes)
    try FuzzFailure.demand(
      (reading.error == nil) == isRight,
      "the trailer is \(isRight ? "right" : "wrong"): \(String(describing: reading.error))")
  }

  /// Returns the correct content without its checksum.
  package static func rightContent() throws -> [UInt8] {
    Array(try files.get()[0].trailer.dropFirst(8).dropLast(8))
  }

  private static func file(minor: UInt8) throws -> SegmentFrames {
    let peer = PeerIdentity(high: 0xA, low: 0xB)
    let shape = TableShape(table: "t", columns: ["a"], keys: [.init(column: 0)])
    let time = { (sequence: UInt64) in HybridTime(rawValue: sequence * 10) }
    let header = SegmentHeader(
      peer: peer, first: .init(1), last: .init(3), firstTime: time(1), lastTime: time(3),
      contentName: "Library", knowledge: Knowledge())
    let blob = Value.blob([UInt8](repeating: 0, count: 300 << 10))
    let model = SegmentModel(
      header: header, schemas: [1: "v1"], shapes: [1: shape],
      transactions: [1, 2, 3].map { (sequence: UInt64) in
        SegmentModel.Transaction(
          header: TransactionHeader(
            sequence: SequenceNumber(sequence), time: time(sequence), schema: 1,
            knowledge: Knowledge()),
          changes: [.init(operation: .insert, shape: 1, values: [sequence == 2 ? blob : 7])])
      })
    let frames = SegmentFrames(try model.written().bytes, indexCount: 2)
    var content = Array(frames.header.dropFirst(8))
    content[10] = minor
    return frames.replacingHeader(with: content)
  }
}
