package import TributaryCore
package import TributaryFiles
package import TributaryLog

/// A segment with what its header says.
package struct LogSegment: Sendable {
  /// Where it is.
  package let path: String
  /// What the file name promises; `nil` for a file under another name.
  package let name: SegmentName?
  /// What it says of itself.
  package let header: SegmentHeader
  /// In bytes.
  package let size: UInt64

  /// Reads the header, and nothing more than that.
  ///
  /// - Throws: `FileError`, `LogError`.
  package init(reading path: String, _ fileSystem: any FileSystem) throws {
    self.path = path
    name = SegmentName(path.lastPathComponent)
    header = try Self.header(of: path, fileSystem)
    size = try fileSystem.status(path)?.size ?? 0
  }

  private static func header(of path: String, _ fileSystem: any FileSystem) throws -> SegmentHeader
  {
    var source = try LogFileSource(path, fileSystem)
    defer { source.close() }
    var bytes: [UInt8] = []
    var wanted = SegmentHeader.suggestedPrefixByteCount
    while true {
      let missing = wanted - bytes.count
      let piece = try [UInt8](unsafeUninitializedCapacity: missing) {
        $1 = try source.read(into: UnsafeMutableRawBufferPointer($0))
      }
      bytes += piece
      switch try bytes.withUnsafeBytes({ try SegmentHeader.read(prefix: $0) }) {
      case .header(let header, _): return header
      case .needs(let count):
        guard piece.count == missing, count > bytes.count else {
          if bytes.isEmpty { throw LogError(.truncated, "the file is empty") }
          throw LogError(
            .truncated, "the file ends inside its header", at: UInt64(bytes.count), in: .file)
        }
        wanted = count
      }
    }
  }

  /// What is wrong with the header, given the file's name and directory; `nil` when nothing is.
  ///
  /// - Parameter owner: whose directory it is in, where it is in one.
  package func contradiction(owner: PeerIdentity?) -> String? {
    if let owner, header.peer != owner { return "is by the peer \(header.peer)" }
    guard let name, name.first != header.first || name.last != header.last else { return nil }
    return "holds the transactions \(header.first) to \(header.last)"
  }
}
