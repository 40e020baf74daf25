import TributaryCore
import TributaryFuzzing
import TributaryLog

/// Files that no honest writer makes.
enum HostileSegment {
  static let peer = PeerIdentity(high: 0xA, low: 0xB)
  static let shape = TableShape(
    table: "t", columns: ["a", "b", "c"], keys: [.init(column: 1), .init(column: 0)])

  static func header(
    last: UInt64 = 2, contentName: String = "Library", knowledge: Knowledge = Knowledge()
  ) -> SegmentHeader {
    SegmentHeader(
      peer: peer, first: .init(1), last: .init(last), firstTime: .init(rawValue: 10),
      lastTime: .init(rawValue: 10 * last), contentName: contentName, knowledge: knowledge)
  }

  static func transaction(_ sequence: UInt64, knowledge: Knowledge = .init()) -> TransactionHeader {
    TransactionHeader(
      sequence: .init(sequence), time: .init(rawValue: 10 * sequence), schema: 1,
      knowledge: knowledge)
  }

  /// Any bytes behind the head of transaction 1, of which the writer takes no notice. Schema 1 and
  /// shape 1 are defined; a second transaction without changes follows, which knows what the header does.
  static func segment(
    changes: [UInt8], count: UInt64 = 1, header: SegmentHeader = header()
  ) throws -> [UInt8] {
    var writer = try SegmentWriter(header: header, sink: MemorySink())
    try writer.define(schema: 1, name: "v1")
    try writer.define(shape: 1, shape)
    try writer.begin(transaction(1))
    try changes.withUnsafeBytes { try writer.append(changes: $0) }
    try writer.end(changeCount: count)
    try writer.begin(transaction(2, knowledge: header.knowledge))
    try writer.end(changeCount: 0)
    return try writer.finishReturningSink().takeSink().bytes
  }

  /// The file with another header, framed and with its checksum in the trailer.
  static func replacingHeader(of bytes: [UInt8], with content: [UInt8]) -> [UInt8] {
    SegmentFrames(bytes).replacingHeader(with: content).bytes
  }
}

/// Reads a file to its end and looks at every value.
///
/// - Returns: the error that came, if any.
func problem(_ bytes: [UInt8], step: Int = .max, limits: SegmentLimits = .init()) -> LogError? {
  do throws(any Error) {
    _ = try SegmentModel(reading: bytes, step: step, limits: limits)
    return nil
  } catch let error as LogError {
    return error
  } catch {
    fatalError("an error of another module: \(error)")
  }
}
