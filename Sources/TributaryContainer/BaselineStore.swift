import TributaryCore
import TributaryFiles
import TributaryLog

/// The baselines of one peer. Every peer may read them; only this peer writes them.
package struct BaselineStore: Sendable {
  /// The content directory.
  package let directory: ContentDirectory
  /// The owner of the baselines.
  package let peer: PeerIdentity
  private let fileSystem: any FileSystem

  /// Makes the store without touching a file.
  package init(
    _ directory: ContentDirectory, peer: PeerIdentity, using fileSystem: any FileSystem
  ) {
    self.directory = directory
    self.peer = peer
    self.fileSystem = fileSystem
  }

  /// The directory of the baselines.
  package var path: String { directory.baseline(of: peer) }

  /// Returns the path of a baseline.
  package func path(of name: BaselineName) -> String { path.appending(component: name.description) }
}

// MARK: Reading

extension BaselineStore {
  /// Returns the names of the files that are named like baselines, in ascending order; none if there is no
  /// directory.
  package func names() throws(ContainerError) -> [BaselineName] {
    do {
      return try BaselineFile.all(of: peer, in: path, using: fileSystem).map(\.name)
    } catch {
      if error.isMissing { return [] }
      throw ContainerError(error)
    }
  }

  /// Returns the size of a baseline in bytes; `nil` if there is no such file.
  package func size(of name: BaselineName) throws(ContainerError) -> UInt64? {
    try status(of: name)?.size
  }

  /// Returns the file status of a baseline; `nil` if it does not exist.
  package func status(of name: BaselineName) throws(ContainerError) -> FileStatus? {
    do {
      return try fileSystem.status(path(of: name))
    } catch {
      throw ContainerError(error)
    }
  }

  /// Reads the header of a baseline from its first bytes.
  ///
  /// - Throws: as `BaselineFile.header`.
  package func header(of name: BaselineName) throws -> BaselineHeader {
    try file(name).header(using: fileSystem, contentName: directory.name.text)
  }

  /// Reads a baseline to its end.
  ///
  /// - Parameter body: called with the bytes of the database, piece by piece. They are valid only if this
  ///   function returns.
  /// - Returns: the header.
  /// - Throws: as `BaselineFile.read`.
  @discardableResult
  package func read(
    _ name: BaselineName, _ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }
  ) throws -> BaselineHeader {
    try file(name).read(using: fileSystem, contentName: directory.name.text, body)
  }

  private func file(_ name: BaselineName) -> BaselineFile {
    BaselineFile(name, of: peer, in: path)
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
  package func publish<Database: ByteSource & ~Copyable>(
    _ header: BaselineHeader, _ database: inout Database, level: Int
  ) throws -> BaselineName {
    // Few peers write baselines, and each directory costs every peer that scans the container.
    try publisher.makeDirectory()
    return try publisher.publish { name in
      // A baseline that cannot be read is replaced with the same bytes.
      (try? read(name)) != nil
    } body: { sink in
      let written = try header.write(&database, to: &sink, level: level)
      return BaselineName(sequence: header.sequence, hash: written.hash)
    }
  }

  /// Removes a baseline that is no longer needed. It is not an error if it is already gone.
  package func remove(_ name: BaselineName) throws(ContainerError) { try publisher.remove(name) }

  private var publisher: FilePublisher { FilePublisher(path: path, fileSystem: fileSystem) }
}
