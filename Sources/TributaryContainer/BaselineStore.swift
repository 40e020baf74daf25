public import TributaryCore
public import TributaryFiles
public import TributaryLog

/// The baselines of one peer. Everybody may read them; only the peer writes them.
public struct BaselineStore: Sendable {
  /// The content directory.
  public let directory: ContentDirectory
  /// The owner of the baselines.
  public let peer: PeerIdentity
  private let fileSystem: any FileSystem

  /// Makes the store without touching a file.
  public init(
    _ directory: ContentDirectory, peer: PeerIdentity, using fileSystem: any FileSystem
  ) {
    self.directory = directory
    self.peer = peer
    self.fileSystem = fileSystem
  }

  /// The directory of the baselines.
  public var path: String { directory.baseline(of: peer) }

  /// Returns the path of a baseline.
  public func path(of name: BaselineName) -> String { path.appending(component: name.description) }
}

// MARK: Reading

extension BaselineStore {
  /// Returns the names of the files that are named like baselines, in ascending order; none if there is no
  /// directory.
  public func names() throws(ContainerError) -> [BaselineName] {
    do {
      return try fileSystem.list(path).compactMap { BaselineName($0.name) }.sorted()
    } catch {
      if error.isMissing { return [] }
      throw ContainerError(error)
    }
  }

  /// Returns the size of a baseline in bytes; `nil` if there is no such file.
  public func size(of name: BaselineName) throws(ContainerError) -> UInt64? {
    do {
      return try fileSystem.status(path(of: name))?.size
    } catch {
      throw ContainerError(error)
    }
  }

  /// Reads the header of a baseline from its first bytes.
  ///
  /// - Throws: `ContainerError`: `newerFormat`; `damagedFile` for a file whose beginning is cut off, empty or
  ///   changed; `foreign` if the header contradicts the name or the directory.
  public func header(of name: BaselineName) throws -> BaselineHeader {
    try reading(name) { reader in reader.header }
  }

  /// Reads a baseline to its end.
  ///
  /// - Parameter body: called with the bytes of the database, piece by piece. They are good only if this
  ///   function returns.
  /// - Returns: the header.
  /// - Throws: `ContainerError`, as `header(of:)` does; `damagedFile` also if the contents do not have the hash
  ///   in the name; what `body` throws.
  @discardableResult
  public func read(
    _ name: BaselineName, _ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }
  ) throws -> BaselineHeader {
    try reading(name) { reader in
      while let bytes = try reader.next() { try body(bytes) }
      if let hash = reader.contentHash, hash != name.hash {
        throw ContainerError.damaged(
          path(of: name), "its contents have the hash \(hash.lowerHex)")
      }
      return reader.header
    }
  }

  private func reading<Result>(
    _ name: BaselineName, _ body: (inout BaselineReader<SegmentFileSource>) throws -> Result
  ) throws -> Result {
    let path = path(of: name)
    let source: SegmentFileSource
    do {
      source = SegmentFileSource(path: path, try fileSystem.open(path))
    } catch {
      throw ContainerError(error)
    }
    defer { source.close() }
    do {
      var reader = try BaselineReader(source: source)
      try check(reader.header, name, path)
      return try body(&reader)
    } catch let error as LogError {
      throw ContainerError(error, reading: path)
    }
  }

  private func check(
    _ header: BaselineHeader, _ name: BaselineName, _ path: String
  ) throws(ContainerError) {
    guard header.peer == peer else { throw .foreign(path, "is by the peer \(header.peer)") }
    guard header.contentName.utf8.elementsEqual(directory.name.text.utf8) else {
      let content = header.contentName.debugDescription
      throw .foreign(path, "belongs to the content name \(content)")
    }
    guard header.sequence == name.sequence else {
      throw .foreign(path, "ends with the transaction \(header.sequence) of its writer")
    }
  }
}

// MARK: Writing, by the peer itself

extension BaselineStore {
  /// Publishes a baseline: it appears complete and durable under its name, or not at all.
  ///
  /// - Parameters:
  ///   - database: provides the bytes of the database.
  ///   - level: the compression level.
  /// - Throws: `ContainerError`: `absent` if the directory is gone; what the source throws.
  public func publish<Database: ByteSource & ~Copyable>(
    _ header: BaselineHeader, _ database: inout Database, level: Int
  ) throws -> BaselineName {
    try publisher.publish { name in
      // One that cannot be read is replaced by the same bytes.
      (try? read(name)) != nil
    } body: { sink in
      let written = try header.write(&database, to: &sink, level: level)
      return BaselineName(sequence: header.sequence, hash: written.hash)
    }
  }

  /// Removes a baseline that is no longer needed. It is no error if it is already gone.
  public func remove(_ name: BaselineName) throws(ContainerError) { try publisher.remove(name) }

  private var publisher: FilePublisher { FilePublisher(path: path, fileSystem: fileSystem) }
}
