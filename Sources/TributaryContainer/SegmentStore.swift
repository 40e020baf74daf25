import TributaryCore
import TributaryFiles
import TributaryLog

/// The segments of one peer. Every peer may read them; only this peer writes them.
package struct SegmentStore: Sendable {
  /// The content directory.
  package let directory: ContentDirectory
  /// The owner of the segments.
  package let peer: PeerIdentity
  package let fileSystem: any FileSystem
  /// The horizons above which segments may be written.
  package let horizons: KnownHorizons

  /// Makes the store without touching a file.
  ///
  /// - Parameter horizons: the horizons that are known without the baselines of the container.
  package init(
    _ directory: ContentDirectory, peer: PeerIdentity, using fileSystem: any FileSystem,
    horizons: KnownHorizons = KnownHorizons()
  ) {
    self.directory = directory
    self.peer = peer
    self.fileSystem = fileSystem
    self.horizons = horizons
  }

  /// The directory of the segments.
  package var path: String { directory.log(of: peer) }

  /// Returns the path of a segment.
  package func path(of name: SegmentName) -> String { path.appending(component: name.description) }

  /// Returns the horizon above which one of the segments is written; `nil` if it is not known.
  package func horizon(_ horizon: SegmentHorizon) -> Knowledge? {
    horizons.horizon(
      horizon, ofSegment: path.appending(component: "segment"), using: fileSystem)
  }

  /// Returns everything that the author of a segment knew at its last transaction, according to its header.
  ///
  /// - Returns: `nil` if the segment is written above a horizon that is not known.
  package func knowledge(of header: SegmentHeader) throws(LogError) -> Knowledge? {
    guard let horizon = header.horizon else { return header.knowledge }
    guard let whole = self.horizon(horizon) else { return nil }
    return try header.knowledge(above: whole)
  }

  /// Opens a segment whose transactions come with everything that their authors knew.
  ///
  /// - Throws: `ContainerError` if it cannot be opened, or is written above a horizon that is not known; `LogError` if
  ///   it cannot be read.
  package func reader(of name: SegmentName) throws -> SegmentReader<SegmentFileSource> {
    let reader = try SegmentReader(source: open(name), horizons: horizon)
    if !reader.isResolved, let horizon = reader.header.horizon {
      throw ContainerError.unknown(horizon.declaration, path(of: name))
    }
    return reader
  }
}

// MARK: Reading

extension SegmentStore {
  /// Reads the header of a segment from its first bytes.
  ///
  /// - Throws: `ContainerError`: `newerFormat`; `damagedFile` for a file whose beginning is cut
  ///   off, empty or changed; `foreign` if the header contradicts the name or the directory.
  package func header(of name: SegmentName) throws(ContainerError) -> SegmentHeader {
    let source = try open(name)
    defer { source.close() }
    var inspection = SegmentInspection(
      source, bufferByteCount: SegmentHeader.suggestedPrefixByteCount)
    let header = try inspection.header()
    try check(header, name, source.path)
    return header
  }

  /// Reads a segment to its end and compares it with its name, in bounded memory.
  ///
  /// The records are not interpreted: their own checksums are checked when they are read.
  ///
  /// - Throws: `ContainerError`, as `header(of:)` does; `damagedFile` also if the contents do not
  ///   have the hash in the name.
  package func verify(_ name: SegmentName) throws(ContainerError) {
    let source = try open(name)
    defer { source.close() }
    var inspection = SegmentInspection(source)
    let header = try inspection.header()
    let hash = try inspection.finish()
    guard hash == name.hash else {
      throw .damaged(source.path, "its contents have the hash \(hash.lowerHex)")
    }
    try check(header, name, source.path)
  }

  /// Determines which segment a file is, whatever its name: copies under other names are harmless.
  ///
  /// Without a name, there is no hash to show whether the file is complete, so it is read as a segment, to
  /// its end.
  ///
  /// - Parameter fileName: the file's name in the directory of the segments.
  /// - Returns: the name that the file should have; a segment of that name may exist too.
  /// - Throws: `ContainerError`, as `verify` does; `damagedFile` also if the file is cut off or damaged anywhere.
  package func identify(_ fileName: String) throws(ContainerError) -> SegmentName {
    let source = try open(path: path.appending(component: fileName))
    defer { source.close() }
    var inspection = SegmentInspection(source)
    let header = try inspection.header()
    let hash = try inspection.finish()
    // The header has checked that the first is not after the last.
    let name = SegmentName(first: header.first, last: header.last, hash: hash)
    try check(header, name, source.path)
    try checkReadable(source.path)
    return name
  }

  /// Reads all transactions of a segment.
  private func checkReadable(_ path: String) throws(ContainerError) {
    do {
      var reader = try SegmentReader(source: open(path: path), horizons: horizon)
      while try reader.nextTransaction() != nil {}
    } catch let error as ContainerError {
      throw error
    } catch let error as LogError {
      throw ContainerError(error, reading: path)
    } catch {
      throw .damaged(path, "\(error)")
    }
  }

  /// Opens a segment without checking it.
  ///
  /// - Throws: `ContainerError`: `missingFile` if it does not exist.
  package func open(_ name: SegmentName) throws(ContainerError) -> SegmentFileSource {
    try open(path: path(of: name))
  }

  /// Returns the status of a segment's file; `nil` if it does not exist.
  package func status(of name: SegmentName) throws(ContainerError) -> FileStatus? {
    do {
      return try fileSystem.status(path(of: name))
    } catch {
      throw ContainerError(error)
    }
  }

  private func open(path: String) throws(ContainerError) -> SegmentFileSource {
    do {
      return SegmentFileSource(path: path, try fileSystem.open(path))
    } catch {
      throw ContainerError(error)
    }
  }

  private func check(
    _ header: SegmentHeader, _ name: SegmentName, _ path: String
  ) throws(ContainerError) {
    guard header.peer == peer else { throw .foreign(path, "is by the peer \(header.peer)") }
    guard header.contentName.utf8.elementsEqual(directory.name.text.utf8) else {
      let content = header.contentName.debugDescription
      throw .foreign(path, "belongs to the content name \(content)")
    }
    guard header.first == name.first, header.last == name.last else {
      throw .foreign(path, "holds the transactions \(header.first) to \(header.last)")
    }
  }
}

// MARK: Writing, by the peer itself

extension SegmentStore {
  /// Makes the peer's directories, only when a store joins and never later.
  package func makeDirectories() throws(ContainerError) {
    do {
      try fileSystem.makeDirectories(path)
    } catch {
      throw ContainerError(error)
    }
  }

  /// Makes the peer's directories in a container that others use. Directories above them are never made here:
  /// they may be missing because the container is an empty mount point.
  ///
  /// - Throws: `ContainerError`: `absent` without the directory of all peers.
  package func addDirectories() throws(ContainerError) {
    do {
      try fileSystem.makeDirectory(path.parentDirectory)
    } catch {
      throw publisher.writing(error)
    }
    try restoreDirectories()
  }

  /// Restores missing directories inside the peer's own directory. The peer's own directory is never made
  /// here: it may be missing because the container is an empty mount point.
  ///
  /// - Throws: `ContainerError`: `absent` without the peer's own directory.
  package func restoreDirectories() throws(ContainerError) {
    try publisher.makeDirectory()
  }

  /// Publishes a segment: it appears complete and durable under its name, or not at all.
  ///
  /// An existing, intact segment is left as it is. A segment that a carrier has cut off or changed is
  /// replaced.
  ///
  /// - Parameters:
  ///   - anew: whether to replace the file even if it is intact.
  ///   - body: writes the segment into the sink and returns the content hash.
  /// - Returns: the name.
  /// - Throws: whatever `body` throws, with nothing left behind; `ContainerError`: `absent` if the directory
  ///   is gone. The directory is never recreated here, because it may be missing from an empty mount point.
  package func publish(
    first: SequenceNumber, last: SequenceNumber, anew: Bool = false,
    body: (inout SegmentFileSink) throws -> UInt64
  ) throws -> SegmentName {
    let isDone = { (name: SegmentName) in !anew && isWhole(name) }
    return try publisher.publish(isWhole: isDone) { sink in
      SegmentName(first: first, last: last, hash: try body(&sink))
    }
  }

  private var publisher: FilePublisher { FilePublisher(path: path, fileSystem: fileSystem) }

  private func isWhole(_ name: SegmentName) -> Bool {
    do {
      try verify(name)
      return true
    } catch {
      return false
    }
  }

  /// Removes a segment that is no longer needed. It is not an error if the segment is already gone.
  package func remove(_ name: SegmentName) throws(ContainerError) { try publisher.remove(name) }
}
