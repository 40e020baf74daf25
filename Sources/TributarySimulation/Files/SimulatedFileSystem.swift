import Glibc
package import TributaryCore
package import TributaryFiles
package import TributaryTesting

/// What one device sees: its container on a simulated disk, and its store on the real one.
///
/// Unchecked, because everything in a simulation happens on one thread.
package final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
  package let disk: SimulatedDisk
  /// What is under the mount point, where no device may write.
  private var underneath: SimulatedDisk
  package let driver = FileDriver()
  private let number: Int
  private let clock: AdjustableClock
  private let local = LocalFileSystem()
  private var temporaries = 0

  /// Whether it notes each change of a directory.
  var notesChanges = false
  /// The peer identities under which the device may write.
  package var writers: Set<PeerIdentity> = []
  /// Whether it may take another identity, which shares the first half of the previous one.
  var mayBeRenewed = false
  /// Whether it may reissue the branch of another store.
  var mayAdopt = false
  /// Whether its store may come back as a peer of another lineage.
  var mayReturn = false
  /// The published files that it has removed again.
  private(set) var withdrawn: Set<String> = []
  /// The identities for which it has made a directory in order to come back under them. After a failed
  /// attempt, it tries the same identity again.
  private var begun: Set<PeerIdentity> = []
  /// Its violations of the rules.
  package private(set) var violations: [String] = []
  /// Every file that it has published, whatever happened to it later.
  private(set) var published: [String: [UInt8]] = [:]
  /// The number of its changes in its container.
  private(set) var changeCount = 0
  /// Called when the write-ahead log of the store has become durable.
  var onLogSynchronized: () -> Void = {}

  package init(number: Int, seed: UInt64, clock: AdjustableClock) {
    self.number = number
    self.clock = clock
    disk = SimulatedDisk(number: number, seed: seed)
    underneath = SimulatedDisk(number: number + 1000, seed: seed)
    disk.makeDirectories(SimulatedDisk.container)
  }

  static func isSimulated(_ path: String) -> Bool {
    path.utf8.starts(with: SimulatedDisk.root.utf8)
  }

  // MARK: Mounting

  /// Replaces what is in the place of the container.
  package func mount(_ state: MountState) {
    driver.mount = state
    underneath = SimulatedDisk(number: number + 1000, seed: 0)
    if state == .empty { underneath.makeDirectories(SimulatedDisk.container) }
  }

  var seen: SimulatedDisk { driver.mount.isMounted ? disk : underneath }

  /// Must be called before a change of a path.
  private func willChange(
    _ path: String, on disk: SimulatedDisk, makes isDirectory: Bool, removes: Bool = false
  ) {
    if disk !== self.disk {
      violations.append("wrote \(path) although the container is not mounted")
    }
    if !isOwn(path, isDirectory), removes || !mayAdopt(path, isDirectory) {
      violations.append("wrote \(path), which is not its own")
    }
    changeCount += 1
  }

  /// The peer identities under which it has published something.
  var publishers: Set<PeerIdentity> {
    Set(published.keys.compactMap { Self.owner(of: $0).flatMap { PeerIdentity(hex: $0) } })
  }

  private static func owner(of path: String) -> Substring? {
    let parts = path.dropFirst(SimulatedDisk.container.utf8.count).split(separator: "/")
    guard let index = parts.firstIndex(of: "peers"), parts.count > index + 1 else { return nil }
    return parts[index + 1]
  }

  private func isOwn(_ path: String, _ isDirectory: Bool) -> Bool {
    // The directories above those of the peers belong to all devices.
    guard let owner = Self.owner(of: path) else { return isDirectory }
    guard let peer = PeerIdentity(hex: owner) else { return false }
    if mayReturn, isDirectory, !knowsLineage(of: peer) { begun.insert(peer) }
    let owners = mayReturn ? writers.union(begun) : writers
    return owners.contains(peer) || mayBeRenewed && owners.contains { $0.high == peer.high }
  }

  /// Whether there is a directory of a peer of this lineage; the branches of others have theirs.
  private func knowsLineage(of peer: PeerIdentity) -> Bool {
    (disk.names(in: SimulatedCarrier.peersPath) ?? []).contains {
      PeerIdentity(hex: $0)?.lineage == peer.lineage
    }
  }

  /// Whether an adoption is allowed: if identities change, any device may reissue a branch without an owner,
  /// which makes segments and nothing else.
  private func mayAdopt(_ path: String, _ isDirectory: Bool) -> Bool {
    guard mayAdopt else { return false }
    return isDirectory || path.parentDirectory.lastPathComponent == "log"
  }

  // MARK: Looking

  package func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try driver.next("opendir", directory)
    guard Self.isSimulated(directory) else { return try local.list(directory) }
    guard let entries = seen.entries(of: directory) else {
      throw FileError(operation: "opendir", path: directory, code: missing(directory))
    }
    return entries
  }

  private func missing(_ path: String) -> Int32 { seen.file(path) == nil ? ENOENT : ENOTDIR }

  package func status(_ path: String) throws(FileError) -> FileStatus? {
    do throws(FileError) {
      try driver.next("stat", path)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
    return Self.isSimulated(path) ? seen.status(path) : try local.status(path)
  }

  package func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?] {
    directories.map { notesChanges && Self.isSimulated($0) ? seen.stamp($0) : nil }
  }

  package func resolve(_ path: String) throws(FileError) -> String? {
    try driver.next("realpath", path)
    guard Self.isSimulated(path) else { return try local.resolve(path) }
    return seen.status(path) == nil ? nil : path
  }

  package func open(_ path: String) throws(FileError) -> any ReadableFile {
    try driver.next("open", path)
    guard Self.isSimulated(path) else { return try local.open(path) }
    guard let file = seen.file(path) else {
      throw FileError(
        operation: "open", path: path, code: seen.isDirectory(path) ? EISDIR : ENOENT)
    }
    return SimulatedReadableFile(path: path, file, driver)
  }

  // MARK: Changing

  package func makeDirectories(_ path: String) throws(FileError) {
    try driver.next("mkdir", path)
    guard Self.isSimulated(path) else { return try local.makeDirectories(path) }
    if seen.isDirectory(path) { return }
    try driver.next("mkdir", path, writes: true)
    if driver.mount == .full { throw FileError(operation: "mkdir", path: path, code: ENOSPC) }
    willChange(path, on: seen, makes: true)
    seen.makeDirectories(path)
  }

  package func makeDirectory(_ path: String) throws(FileError) {
    try driver.next("mkdir", path)
    guard Self.isSimulated(path) else { return try local.makeDirectory(path) }
    if seen.isDirectory(path) { return }
    try driver.next("mkdir", path, writes: true)
    guard seen.isDirectory(path.parentDirectory) else {
      throw FileError(operation: "mkdir", path: path, code: ENOENT)
    }
    if driver.mount == .full { throw FileError(operation: "mkdir", path: path, code: ENOSPC) }
    willChange(path, on: seen, makes: true)
    seen.makeDirectories(path)
  }

  package func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    try driver.next("open", directory, writes: true)
    guard Self.isSimulated(directory) else { return try local.makeTemporary(in: directory) }
    guard seen.isDirectory(directory) else {
      throw FileError(operation: "open", path: directory, code: missing(directory))
    }
    temporaries += 1
    let name = TemporaryName.prefix + (UInt64(number) << 32 + UInt64(temporaries)).lowerHex
    let path = directory.appending(component: name)
    willChange(path, on: seen)
    let file = seen.create(path, modified: clock.now)
    return SimulatedTemporaryFile(path: path, file, on: seen, by: self)
  }

  package func remove(_ path: String) throws(FileError) {
    try driver.next("unlink", path, writes: true)
    guard Self.isSimulated(path) else { return try local.remove(path) }
    if seen.file(path) != nil {
      willChange(path, on: seen, makes: false, removes: true)
      if published[path] != nil { withdrawn.insert(path) }
      seen.remove(path)
    } else if let names = seen.names(in: path) {
      guard names.isEmpty else {
        throw FileError(operation: "rmdir", path: path, code: ENOTEMPTY)
      }
      willChange(path, on: seen, makes: true, removes: true)
      seen.removeDirectory(path)
    }
  }

  package func rename(_ path: String, to newPath: String) throws(FileError) {
    try driver.next("rename", path, writes: true)
    guard Self.isSimulated(path) else { return try local.rename(path, to: newPath) }
    guard seen.file(path) != nil, seen.isDirectory(newPath.parentDirectory) else {
      throw FileError(operation: "rename", path: path, code: ENOENT)
    }
    willChange(path, on: seen)
    willChange(newPath, on: seen)
    seen.rename(path, to: newPath)
  }

  package func synchronize(_ path: String) throws(FileError) {
    try driver.next("fdatasync", path)
    guard Self.isSimulated(path) else {
      if disk.ignoresSynchronization { return }
      try local.synchronize(path)
      if path.hasSuffix("-wal") { onLogSynchronized() }
      return
    }
    guard let file = seen.file(path) else {
      throw FileError(operation: "open", path: path, code: ENOENT)
    }
    seen.synchronize(file)
  }

  package func synchronizeDirectory(_ path: String) throws(FileError) {
    try driver.next("fsync", path)
    guard Self.isSimulated(path) else { return try local.synchronizeDirectory(path) }
    guard seen.isDirectory(path) else {
      throw FileError(operation: "open", path: path, code: missing(path))
    }
    seen.synchronizeDirectory(path)
  }

  // MARK: What temporary files tell

  func willChange(_ path: String, on disk: SimulatedDisk) {
    willChange(path, on: disk, makes: false)
  }

  /// Records a published file, which may be published again only unchanged.
  func didPublish(_ path: String, _ bytes: [UInt8]) {
    if let before = published[path], before != bytes, path.lastPathComponent != "peer.json" {
      violations.append("published \(path) again with other bytes")
    }
    published[path] = bytes
    withdrawn.remove(path)
  }
}
