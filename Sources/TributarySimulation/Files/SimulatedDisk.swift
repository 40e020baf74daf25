internal import TributaryFiles
package import TributaryTesting

/// The file system, in memory, on which a device has its container: what processes see of it, and what part
/// of that is synchronised.
///
/// It has no faults and refuses nothing; `SimulatedFileSystem` does that. Directories are durable as soon as
/// they are made.
package final class SimulatedDisk {
  /// The root of all mounts.
  static let root = "/simulated"
  /// The shared directory, the same on all devices.
  package static let container = "/simulated/container"

  struct Directory {
    var files: [String: SimulatedFile] = [:]
    var durable: [String: SimulatedFile] = [:]
    var directories: Set<String> = []
  }

  private var tree: [String: Directory] = [:]
  private var random: SeededGenerator
  private var lastInode: UInt64 = 1
  /// The device number, which is different for each disk and never that of a real one.
  private let device: UInt64

  /// Whether it ignores synchronisation.
  package var ignoresSynchronization = false

  init(number: Int, seed: UInt64) {
    device = 0x5_0000_0000 + UInt64(number)
    random = SeededGenerator(seed: seed)
    tree[Self.root] = Directory()
  }

  // MARK: Looking

  func isDirectory(_ path: String) -> Bool { tree[path] != nil }

  func file(_ path: String) -> SimulatedFile? {
    tree[path.parentDirectory]?.files[path.lastPathComponent]
  }

  package func bytes(_ path: String) -> [UInt8]? { file(path)?.bytes }

  /// Returns the names in a directory, ascending; `nil` if there is none.
  func names(in directory: String) -> [String]? {
    tree[directory].map { (Array($0.files.keys) + $0.directories).sorted() }
  }

  /// Returns the entries as a process gets them: in no particular order.
  func entries(of path: String) -> [DirectoryEntry]? {
    guard let directory = tree[path] else { return nil }
    let entries =
      directory.files.keys.map { DirectoryEntry(name: $0, kind: .file) }
      + directory.directories.map { DirectoryEntry(name: $0, kind: .directory) }
    // Shuffled from an order that does not change from run to run.
    return entries.sorted { $0.name < $1.name }.shuffled(using: &random)
  }

  func status(_ path: String) -> FileStatus? {
    if let file = file(path) {
      return FileStatus(
        size: UInt64(file.bytes.count), kind: .file,
        identity: FileIdentity(device: device, inode: file.inode),
        modifiedNanoseconds: Int64(clamping: file.modified) &* 1_000_000,
        changedNanoseconds: Int64(clamping: file.changeCount))
    }
    guard tree[path] != nil else { return nil }
    // No directory is renamed here, so its path identifies it.
    return FileStatus(
      size: 0, kind: .directory,
      identity: FileIdentity(device: device, inode: Self.number(of: path)),
      modifiedNanoseconds: 0, changedNanoseconds: 0)
  }

  /// Returns a stamp that differs after each change of the entries; `nil` if there is no directory.
  /// Overwriting a file in place changes the stamp, too; on real file systems, stores notice this only by
  /// chance.
  func stamp(_ path: String) -> DirectoryStamp? {
    guard let directory = tree[path], let identity = status(path)?.identity else { return nil }
    var words: [UInt64] = []
    for (name, file) in directory.files.sorted(by: { $0.key < $1.key }) {
      words += [Self.number(of: name), file.inode, file.changeCount]
    }
    words += directory.directories.sorted().map(Self.number)
    let hash = words.withUnsafeBytes { Self.number(of: $0) }
    return DirectoryStamp(identity: identity, changedNanoseconds: Int64(bitPattern: hash))
  }

  /// Returns a number that others are unlikely to have.
  private static func number(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }

  private static func number(of name: String) -> UInt64 { number(of: name.utf8) }

  /// Returns the paths of all files below a directory, ascending.
  package func paths(below directory: String) -> [String] {
    guard let entry = tree[directory] else { return [] }
    return entry.files.keys.sorted().map { "\(directory)/\($0)" }
      + entry.directories.sorted().flatMap { paths(below: "\(directory)/\($0)") }
  }

  /// Copies the container to a directory of this machine.
  func copy(to directory: String) throws {
    for path in paths(below: Self.container) {
      let copy = directory + path.dropFirst(Self.container.utf8.count)
      try LocalFileSystem().makeDirectories(copy.parentDirectory)
      try RawFiles.write(bytes(path) ?? [], to: copy)
    }
  }

  // MARK: Changing

  func makeDirectories(_ path: String) {
    guard tree[path] == nil, path.utf8.count > Self.root.utf8.count else { return }
    makeDirectories(path.parentDirectory)
    tree[path.parentDirectory]?.directories.insert(path.lastPathComponent)
    tree[path] = Directory()
  }

  /// Makes a new file with a name, replacing any other.
  @discardableResult
  func create(_ path: String, _ bytes: [UInt8] = [], modified: UInt64) -> SimulatedFile {
    lastInode += 1
    let file = SimulatedFile(inode: lastInode, bytes: bytes, modified: modified)
    tree[path.parentDirectory]?.files[path.lastPathComponent] = file
    return file
  }

  /// Gives a file another name, replacing a file there.
  func rename(_ path: String, to newPath: String) {
    guard let file = file(path) else { return }
    tree[path.parentDirectory]?.files[path.lastPathComponent] = nil
    tree[newPath.parentDirectory]?.files[newPath.lastPathComponent] = file
  }

  func remove(_ path: String) {
    tree[path.parentDirectory]?.files[path.lastPathComponent] = nil
  }

  /// Removes a directory with everything in it, durably.
  func removeDirectory(_ path: String) {
    guard let entry = tree[path] else { return }
    for name in entry.directories { removeDirectory("\(path)/\(name)") }
    tree[path] = nil
    tree[path.parentDirectory]?.directories.remove(path.lastPathComponent)
  }

  func synchronizeDirectory(_ path: String) {
    guard !ignoresSynchronization, let entry = tree[path] else { return }
    tree[path]?.durable = entry.files
  }

  func synchronize(_ file: SimulatedFile) {
    if !ignoresSynchronization { file.synchronize() }
  }

  /// Writes everything to the disk, as every system does from time to time.
  package func flush() {
    for path in tree.keys {
      for file in tree[path]!.files.values { synchronize(file) }
      synchronizeDirectory(path)
    }
  }

  /// Keeps only a random part of what was not synchronised.
  package func cutPower(using random: inout SeededGenerator) {
    for path in tree.keys.sorted() {
      let entry = tree[path]!
      var files: [String: SimulatedFile] = [:]
      for name in Set(entry.files.keys).union(entry.durable.keys).sorted() {
        let (now, before) = (entry.files[name], entry.durable[name])
        files[name] = now === before || random.once(in: 2) ? now : before
      }
      for name in files.keys.sorted() { files[name]!.cutPower(using: &random) }
      tree[path]!.files = files
      tree[path]!.durable = files
    }
  }
}
