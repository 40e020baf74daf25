package import TributaryContainer
package import TributaryCore
package import TributaryFiles
package import TributaryLog

/// A segment with its header.
package struct LogSegment: Sendable {
  /// The path of the file.
  package let path: String
  /// The name of the file; `nil` if it is not a segment's name.
  package let name: SegmentName?
  /// The header of the segment.
  package let header: SegmentHeader
  /// The size in bytes.
  package let size: UInt64

  /// Reads the header, and no more than that.
  ///
  /// - Throws: `FileError`, `LogError`.
  package init(reading path: String, _ fileSystem: any FileSystem) throws {
    self.path = path
    name = SegmentName(path.lastPathComponent)
    var source = try LogFileSource(path, fileSystem)
    defer { source.close() }
    header = try Self.header(&source)
    size = try source.openedByteCount ?? fileSystem.status(path)?.size ?? 0
  }

  private static func header(_ source: inout LogFileSource) throws -> SegmentHeader {
    var wanted = SegmentHeader.suggestedPrefixByteCount
    // If more bytes than the file has were requested, another call would be needed to find out that there are
    // no more.
    if let size = source.openedByteCount { wanted = max(1, min(wanted, Int(clamping: size))) }
    var buffer = ByteBuffer(capacity: wanted)
    while true {
      let missing = wanted - buffer.count
      let read = try source.read(
        into: UnsafeMutableRawBufferPointer(start: buffer.reserve(missing), count: missing))
      buffer.advance(by: read)
      switch try SegmentHeader.read(prefix: buffer.bytes) {
      case .header(let header, _): return header
      case .needs(let count):
        guard read == missing, count > buffer.count else {
          if buffer.isEmpty { throw LogError(.truncated, "the file is empty") }
          throw LogError(
            .truncated, "the file ends inside its header", at: UInt64(buffer.count), in: .file)
        }
        wanted = count
      }
    }
  }

  /// Returns how the header contradicts the file's name or directory; `nil` if it does not.
  ///
  /// - Parameter owner: the owner of the directory, if the file is in a peer's directory.
  package func contradiction(owner: PeerIdentity?) -> String? {
    if let owner, header.peer != owner { return "is by the peer \(header.peer)" }
    guard let name, name.first != header.first || name.last != header.last else { return nil }
    return "holds the transactions \(header.first) to \(header.last)"
  }
}
