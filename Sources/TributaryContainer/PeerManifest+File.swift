internal import FoundationEssentials
import TributaryCore
import TributaryFiles

extension PeerManifest {
  /// The bytes of the file: one line of JSON, with the checksum first and the keys in ascending
  /// order, so that equal manifests have equal bytes.
  package var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return ManifestSeal.sealed(try Array(encoder.encode(self)) + [UInt8(ascii: "\n")])
    } catch {
      preconditionFailure("texts, numbers and lists can always be encoded: \(error)")
    }
  }

  /// Reads the bytes of a file and checks that the file is where it belongs.
  ///
  /// - Parameters:
  ///   - peer: the owner of the directory that contains the file.
  ///   - directory: the content directory that contains the file.
  ///   - subject: a peer. If given, `receipt` and `times` contain only the entries of this peer, and the
  ///     entries of others are skipped, which takes a third of the time for a hundred peers.
  /// - Throws: `ContainerError`: `newerFormat`, `foreign` for a file of another peer or another content name,
  ///   `damagedFile` for everything else.
  package init(
    decoding bytes: [UInt8], of peer: PeerIdentity, in directory: ContentDirectory,
    about subject: PeerIdentity? = nil
  ) throws(ContainerError) {
    let path = directory.manifest(of: peer)
    guard bytes.count <= Self.maximumByteCount else {
      throw .damaged(path, "it has more than \(Self.maximumByteCount) bytes")
    }
    let isSealed = ManifestSeal.isPresent(in: bytes)
    guard !isSealed || ManifestSeal.isRight(in: bytes) else {
      throw .damaged(path, "its checksum is wrong")
    }
    let decoder = JSONDecoder()
    decoder.userInfo[Self.subject] = subject
    do {
      self = try decoder.decode(PeerManifest.self, from: Data(bytes))
    } catch let error as ContainerError {
      throw ContainerError(
        error.code, path + error.message.dropFirst(Self.fileName.count), path: path,
        remedy: error.remedy)
    } catch {
      throw .damaged(path, bytes.isEmpty ? "it is empty" : Self.finding(error), underlying: error)
    }
    guard isSealed || format < ManifestSeal.since else {
      throw .damaged(path, "it does not begin with its checksum")
    }
    guard self.peer == peer else {
      throw .foreign(path, "is about the peer \(self.peer)")
    }
    guard content == directory.name else {
      throw .foreign(path, "belongs to the content name \(content.text.debugDescription)")
    }
  }

  /// Reads a peer's file. Its receipt is complete, unless it is above a horizon that is not known.
  ///
  /// - Parameters:
  ///   - subject: as for `init(decoding:of:in:about:)`.
  ///   - horizons: the horizons that are known without the baselines of the container.
  ///   - includesTimes: whether `times` includes the times of the horizon.
  /// - Returns: `nil` if there is no file.
  /// - Throws: `ContainerError`, as `init(decoding:of:in:about:)` does, and for files that cannot be read.
  package static func read(
    of peer: PeerIdentity, in directory: ContentDirectory, about subject: PeerIdentity? = nil,
    using fileSystem: some FileSystem, horizons: KnownHorizons = KnownHorizons(),
    includesTimes: Bool = true
  ) throws(ContainerError) -> PeerManifest? {
    let path = directory.manifest(of: peer)
    let bytes: [UInt8]
    do {
      bytes = try fileSystem.read(path, limit: maximumByteCount)
    } catch {
      if error.isMissing { return nil }
      if error.isTooLarge { throw .damaged(path, "it is too large", underlying: error) }
      throw ContainerError(error)
    }
    let manifest = try DecodedManifests.shared.manifest(
      decoding: bytes, of: peer, in: directory, about: subject)
    guard let identifier = manifest.receiptHorizon,
      let declaration = horizons.declaration(identifier, in: directory, using: fileSystem)
    else { return manifest }
    return manifest.resolved(by: declaration, about: subject, includesTimes: includesTimes)
  }

  /// Writes the file into the peer's directory, unless it already has the same bytes.
  ///
  /// It never makes a directory: if the peer's own is gone, the container may be an empty mount
  /// point.
  ///
  /// - Parameter willWrite: called before the file is written.
  /// - Returns: whether the file was written.
  /// - Throws: `ContainerError`: `absent` without the peer's directory; what `willWrite` throws.
  @discardableResult
  package func publish(
    in directory: ContentDirectory, using fileSystem: some FileSystem,
    willWrite: () throws(FileError) -> Void = {}
  ) throws(ContainerError) -> Bool {
    let bytes = bytes
    let path = directory.manifest(of: peer)
    do throws(FileError) {
      if try Self.present(path, bytes.count, fileSystem) == bytes { return false }
      try willWrite()
      let file = try fileSystem.makeTemporary(in: directory.peer(peer))
      defer { file.discard() }
      try bytes.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try file.write(bytes) }
      try file.publish(as: Self.fileName)
      return true
    } catch {
      throw error.isMissing ? .absent(directory.peer(peer), error) : ContainerError(error)
    }
  }

  /// Returns the current contents of the path; `nil` if there are none, or none that could be equal.
  private static func present(
    _ path: String, _ count: Int, _ fileSystem: some FileSystem
  ) throws(FileError) -> [UInt8]? {
    guard let status = try fileSystem.status(path), status.kind == .file, status.size == count
    else {
      return nil
    }
    do throws(FileError) {
      return try fileSystem.read(path, limit: count)
    } catch {
      // The file is gone, has grown, or became a link: it must be replaced.
      if error.isTransient { throw error }
      return nil
    }
  }

  private static func finding(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let (context, missing): (DecodingError.Context, (any CodingKey)?) =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .dataCorrupted(let context):
        (context, nil)
      case .keyNotFound(let key, let context): (context, key)
      @unknown default: (.init(codingPath: [], debugDescription: "\(error)"), nil)
      }
    let place = (context.codingPath + (missing.map { [$0] } ?? [])).map(\.stringValue)
      .joined(separator: ".")
    return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
  }
}
