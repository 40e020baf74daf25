import Testing
import TributaryCore
import TributaryFuzzing
import TributaryLog

struct RoundTripTests {
  @Test(arguments: UInt64(1)...40)
  func `any segment is read as it was written`(seed: UInt64) throws {
    let model = SegmentModel(seed: seed, transactionCount: Int(seed), changesUpTo: 40)
    let (bytes, summary) = try model.written()
    #expect(try SegmentModel(reading: bytes) == model)
    #expect(summary.byteCount == UInt64(bytes.count))
    #expect(summary.contentHash == bytes.withUnsafeBytes { SegmentHash.hash($0) })
    #expect(summary.recordCount == UInt64(model.transactions.count))
    let changeCount = model.transactions.reduce(0) { $0 + $1.changes.count }
    #expect(summary.changeCount == UInt64(changeCount))
  }

  @Test(arguments: [1, 7, 4096, 100_000])
  func `how the bytes are cut on either side makes no difference`(piece: Int) throws {
    let model = SegmentModel(seed: 77, transactionCount: 60, changesUpTo: 60)
    let whole = try model.written().bytes
    #expect(try model.written(piece: piece).bytes == whole)
    #expect(try SegmentModel(reading: whole, step: piece) == model)
  }

  @Test func `a stronger compression changes the size only`() throws {
    let model = SegmentModel(seed: 5, transactionCount: 50, changesUpTo: 80)
    let fast = try model.written()
    let small = try model.written(level: 9)
    #expect(small.bytes.count < fast.bytes.count)
    #expect(try SegmentModel(reading: small.bytes) == model)
  }

  @Test func `the reader counts as the writer does`() throws {
    let model = SegmentModel(seed: 8, transactionCount: 30, changesUpTo: 30)
    let (bytes, summary) = try model.written()
    var reader = try SegmentReader(source: MemorySource(bytes, step: 1000), hashing: true)
    #expect(reader.contentHash == nil)
    while try reader.nextTransaction() != nil {}
    #expect(try reader.nextTransaction() == nil)
    #expect(try reader.nextChange()?.shapeID == nil)
    #expect(reader.contentHash == summary.contentHash)
    #expect(reader.byteCount == summary.byteCount)
    #expect(reader.recordCount == summary.recordCount)
    #expect(reader.changeCount == summary.changeCount)
    #expect(reader.payloadOffset == summary.payloadSize)
  }

  @Test func `changes that nobody asks for are passed by`() throws {
    let model = SegmentModel(seed: 9, transactionCount: 30, changesUpTo: 50)
    var reader = try SegmentReader(source: MemorySource(try model.written().bytes, step: 999))
    for transaction in model.transactions {
      #expect(try reader.nextTransaction() == transaction.header)
      for change in transaction.changes.prefix(3) {
        let view = try #require(try reader.nextChange())
        #expect(try SegmentModel.Change(view) == change)
      }
    }
    #expect(try reader.nextTransaction() == nil)
  }
}
