import TributaryCore

extension BaselineHeader {
  /// Writes a baseline, in one pass and in bounded memory.
  ///
  /// - Parameters:
  ///   - database: provides the bytes of the database.
  ///   - level: the compression level; 0 is fast, 3 to 12 make smaller files.
  /// - Returns: the content hash and the size of the file.
  /// - Throws: ``LogError``: `inconsistent` if the database does not have the size in the header; what source
  ///   and sink throw.
  package func write<Source: ByteSource & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ database: inout Source, to sink: inout Sink, level: Int
  ) throws -> (hash: UInt64, byteCount: UInt64) {
    var hash = SegmentHash()
    var byteCount: UInt64 = 0
    var output = ByteBuffer(capacity: LogFormat.blockByteCount * 2)
    func drain(_ hash: inout SegmentHash, _ sink: inout Sink) throws {
      hash.update(output.bytes)
      try sink.write(output.bytes)
      byteCount += UInt64(output.count)
      output.removeAll()
    }
    let content = try encoded()
    output.append(littleEndian: LogFormat.headerFrameMagic)
    output.append(littleEndian: UInt32(content.count))
    output.append(contentsOf: content)
    var compressor = try FrameCompressor(level: level)
    try compressor.begin(into: &output)
    var input = ByteBuffer(capacity: LogFormat.blockByteCount)
    var size: UInt64 = 0
    while true {
      let place = input.reserve(LogFormat.blockByteCount)
      let count = try database.read(
        into: UnsafeMutableRawBufferPointer(start: place, count: LogFormat.blockByteCount))
      if count == 0 { break }
      size += UInt64(count)
      try compressor.update(UnsafeRawBufferPointer(start: place, count: count), into: &output)
      try drain(&hash, &sink)
    }
    guard size == databaseSize else {
      throw LogError(.inconsistent, "a database of \(size) bytes instead of \(databaseSize)")
    }
    try compressor.end(into: &output)
    try drain(&hash, &sink)
    return (hash.finish(), byteCount)
  }
}
