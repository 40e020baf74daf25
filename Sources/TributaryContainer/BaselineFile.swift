import TributaryCore
import TributaryFiles
import TributaryLog

/// A file in a peer's directory of baselines that has the name of a baseline.
package struct BaselineFile: Sendable {
  package let path: String
  /// The peer in whose directory it is.
  package let owner: PeerIdentity
  package let name: BaselineName

  init(_ name: BaselineName, of owner: PeerIdentity, in directory: String) {
    path = directory.appending(component: name.description)
    self.owner = owner
    self.name = name
  }

  /// Returns the files of all peers, in ascending order by peer and name. A directory that cannot be listed
  /// counts as empty.
  ///
  /// - Parameter peers: the directory of all peers' directories.
  package static func all(
    in peers: String, using fileSystem: any FileSystem
  ) -> [BaselineFile] {
    let owners = ((try? fileSystem.list(peers)) ?? []).compactMap { PeerIdentity(hex: $0.name) }
    return owners.sorted().flatMap { owner in
      let directory = peers.appending(component: owner.description).appending(component: "baseline")
      return (try? all(of: owner, in: directory, using: fileSystem)) ?? []
    }
  }

  /// Returns the files in one directory, in ascending order.
  static func all(
    of owner: PeerIdentity, in directory: String, using fileSystem: any FileSystem
  ) throws(FileError) -> [BaselineFile] {
    try fileSystem.list(directory).compactMap { BaselineName($0.name) }.sorted().map {
      BaselineFile($0, of: owner, in: directory)
    }
  }

  /// Reads the header from the first bytes.
  ///
  /// - Parameter contentName: the content name that it must belong to; `nil` means any.
  /// - Throws: `ContainerError`: `newerFormat`; `damagedFile` for a file whose beginning is cut off, empty or
  ///   changed; `foreign` if the header contradicts the name, the directory or the content name.
  package func header(
    using fileSystem: any FileSystem, contentName: String? = nil
  ) throws -> BaselineHeader {
    try opening(fileSystem) { file in
      let reader = try BaselineReader(
        source: SegmentFileSource(path: path, file), isHashing: false)
      try check(reader.header, contentName)
      return reader.header
    }
  }

  /// Reads the file to its end.
  ///
  /// - Parameters:
  ///   - contentName: the content name that it must belong to; `nil` means any.
  ///   - body: called with the bytes of the database, piece by piece. They are valid only if this function
  ///     returns.
  /// - Returns: the header.
  /// - Throws: `ContainerError`, as `header` does; `damagedFile` also if the contents do not have the hash in the name;
  ///   what `body` throws.
  @discardableResult
  package func read(
    using fileSystem: any FileSystem, contentName: String? = nil,
    _ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }
  ) throws -> BaselineHeader {
    try opening(fileSystem) { file in
      let ahead = HashedAhead(file)
      defer { ahead?.close() }
      var reader = try BaselineReader(
        source: SegmentFileSource(path: path, ahead ?? file), isHashing: ahead == nil)
      try check(reader.header, contentName)
      while let bytes = try reader.next() { try body(bytes) }
      if let hash = reader.contentHash ?? ahead?.takeHash(), hash != name.hash {
        throw ContainerError.damaged(path, "its contents have the hash \(hash.lowerHex)")
      }
      return reader.header
    }
  }

  private func opening<Result>(
    _ fileSystem: any FileSystem, _ body: (any ReadableFile) throws -> Result
  ) throws -> Result {
    let file: any ReadableFile
    do {
      file = try fileSystem.open(path)
    } catch {
      throw ContainerError(error)
    }
    defer { file.close() }
    do {
      return try body(file)
    } catch let error as LogError {
      throw ContainerError(error, reading: path)
    }
  }

  private func check(_ header: BaselineHeader, _ contentName: String?) throws(ContainerError) {
    guard header.peer == owner else { throw .foreign(path, "is by the peer \(header.peer)") }
    if let contentName, !header.contentName.utf8.elementsEqual(contentName.utf8) {
      let content = header.contentName.debugDescription
      throw .foreign(path, "belongs to the content name \(content)")
    }
    guard header.sequence == name.sequence else {
      throw .foreign(path, "ends with the transaction \(header.sequence) of its writer")
    }
  }
}
