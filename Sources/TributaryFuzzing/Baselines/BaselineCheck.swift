import TributaryLog

/// Checks what must be true of any bytes that are read as a baseline.
enum BaselineCheck {
  /// The result of reading a file, correct or not.
  private struct Reading: Equatable {
    var header: BaselineHeader?
    var database: [UInt8] = []
    var hash: UInt64?
    var error: LogError?

    init(_ bytes: [UInt8], step: Int) throws(FuzzFailure) {
      do throws(any Error) {
        var reader = try BaselineReader(source: MemorySource(bytes, step: step))
        header = reader.header
        while let piece = try reader.next() { database += piece }
        hash = reader.contentHash
      } catch let failure as LogError {
        error = failure
      } catch {
        throw FuzzFailure("an error of another type: \(error)")
      }
    }
  }

  /// Keeps what is written.
  private struct Sink: ByteSink {
    var bytes: [UInt8] = []

    mutating func write(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }
  }

  static func run(_ bytes: [UInt8]) throws(FuzzFailure) {
    let whole = try Reading(bytes, step: .max)
    for step in [1, 13] {
      try FuzzFailure.demand(
        Reading(bytes, step: step) == whole, "in pieces of \(step) it reads otherwise")
    }
    guard let header = whole.header else { return }
    try FuzzFailure.demand(
      UInt64(whole.database.count) <= header.databaseSize + (256 << 10),
      "more than the header says was returned")
    guard whole.error == nil else { return }
    let written: [UInt8]
    do {
      var source = MemorySource(whole.database)
      var sink = Sink()
      _ = try header.write(&source, to: &sink, level: 0)
      written = sink.bytes
    } catch {
      throw FuzzFailure("what was read cannot be written: \(error)")
    }
    let again = try Reading(written, step: .max)
    try FuzzFailure.demand(
      again.database == whole.database && again.header?.entries == header.entries
        && again.header?.declaration == header.declaration
        && again.header?.peer == header.peer
        && again.header?.contentName.utf8.elementsEqual(header.contentName.utf8) == true,
      "written and read again it is another one")
  }
}
