import Synchronization
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryTesting

/// What is not listed again as long as a directory is as it was.
struct ListingMemoryTests {
  private let peers = (1...40).map { PeerIdentity(high: $0, low: 1) }

  /// A content directory where each peer has a log, a scanner with a memory, and one without.
  private func make(
    _ scratch: borrowing Scratch, _ files: StampedFileSystem
  ) throws -> (directory: ContentDirectory, scanner: ContainerScanner, plain: ContainerScanner) {
    let directory = try scratch.contentDirectory()
    for peer in peers { try files.makeDirectories(directory.log(of: peer)) }
    return (
      directory, ContainerScanner(directory, using: files, memory: ListingMemory()),
      ContainerScanner(directory, using: LocalFileSystem())
    )
  }

  private func publish(_ sequence: UInt64, of peer: PeerIdentity, _ directory: ContentDirectory)
    throws
  {
    let name = SegmentName(first: .init(sequence), last: .init(sequence), hash: 1)
    let file = try LocalFileSystem().makeTemporary(in: directory.log(of: peer))
    try file.publish(as: name.description)
  }

  @Test func `a peer is listed again when one of its directories has changed, and only then`()
    throws
  {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let (directory, scanner, plain) = try make(scratch, files)
    #expect(try scanner.scan() == plain.scan())
    #expect(files.takeListed().count == 1 + 2 * peers.count)
    #expect(try scanner.scan() == plain.scan())
    #expect(files.takeListed() == [directory.peers])

    try publish(1, of: peers[3], directory)
    files.change(directory.log(of: peers[3]))
    try files.makeDirectories(directory.baseline(of: peers[5]))
    files.change(directory.peer(peers[5]))
    let listing = try scanner.scan()
    #expect(try listing == plain.scan())
    #expect(listing.peers[3].segments.count == 1 && listing.peers[5].hasBaselines)
    #expect(
      files.takeListed()
        == [directory.peers]
        + [peers[3], peers[5]].flatMap { [directory.peer($0), directory.log(of: $0)] })
  }

  @Test func `what was seen a moment ago is not looked at again, and nothing is missed`() throws {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let (directory, scanner, plain) = try make(scratch, files)
    _ = try scanner.scan()
    try files.makeDirectories(directory.path.appending(component: "peers/another"))
    try publish(1, of: peers[3], directory)
    files.change(directory.log(of: peers[3]))
    let seen = try #require(try PeerStamps(of: directory, fewest: 40, using: files))
    #expect(try PeerStamps(of: directory, fewest: 41, using: files) == nil)
    _ = files.takeListed()
    #expect(try scanner.scan(seen) == plain.scan())
    #expect(files.takeListed() == [directory.peer(peers[3]), directory.log(of: peers[3])])

    // What changes after the stamps were read shows in the next scan at the latest.
    try publish(2, of: peers[3], directory)
    files.change(directory.log(of: peers[3]))
    _ = try scanner.scan(seen)
    #expect(try scanner.scan() == plain.scan())
  }

  @Test func `a peer that is gone is forgotten, and one that is new is listed`() throws {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let (directory, scanner, plain) = try make(scratch, files)
    _ = try scanner.scan()
    try files.remove(directory.log(of: peers[0]))
    try files.remove(directory.peer(peers[0]))
    #expect(try scanner.scan().peers.map(\.peer) == Array(peers[1...]))
    try files.makeDirectories(directory.log(of: peers[0]))
    _ = files.takeListed()
    #expect(try scanner.scan() == plain.scan())
    let listed = files.takeListed()
    #expect(listed == [directory.peers, directory.peer(peers[0]), directory.log(of: peers[0])])
  }

  @Test func `a directory that cannot be told from a changed one is listed each time`() throws {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let (directory, scanner, plain) = try make(scratch, files)
    _ = try scanner.scan()
    files.hide(directory.log(of: peers[7]))
    for _ in 0..<3 {
      _ = files.takeListed()
      #expect(try scanner.scan() == plain.scan())
      #expect(files.takeListed().count == 3)
    }
    files.hide(nil)
    _ = try scanner.scan()
    _ = files.takeListed()
    #expect(try scanner.scan() == plain.scan())
    #expect(files.takeListed() == [directory.peers])
  }

  @Test func `now and then all are listed, whatever seems unchanged`() throws {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let (directory, scanner, plain) = try make(scratch, files)
    _ = try scanner.scan()
    // A change that leaves no trace.
    try publish(1, of: peers[2], directory)
    var scanCount = 0
    while try scanner.scan() != plain.scan() {
      scanCount += 1
      try #require(scanCount <= 60)
    }
    #expect(scanCount > 1)
  }

  @Test func `what was noted of many peers is not believed of few`() throws {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let directory = try scratch.contentDirectory()
    for peer in peers[..<3] { try files.makeDirectories(directory.log(of: peer)) }
    let stamp = DirectoryStamp(identity: .init(device: 1, inode: 1), changedNanoseconds: 1)
    let status = FileStatus(
      size: 1, kind: .file, identity: .init(device: 1, inode: 2), modifiedNanoseconds: 1,
      changedNanoseconds: 1)
    let manifest = PeerManifestTests.manifest(directory)
    let notes = PeerNotes(
      entries: peers.map { peer in
        PeerNotes.Entry(
          peer,
          listed: .init(directory: stamp, log: stamp, listing: PeerListing(peer: peer)),
          read: .init(status: status, manifest: manifest))
      })
    for share in 0..<ListingMemory.shareCount {
      let memory = ListingMemory()
      memory.take(notes, in: directory, share: share)
      let listing = try ContainerScanner(directory, using: files, memory: memory).scan()
      let found = try memory.manifests(of: listing, in: directory, using: files).map {
        try $0.get()
      }
      #expect(found == [nil, nil, nil])
    }
  }

  @Test func `few peers are listed without stamps`() throws {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let directory = try scratch.contentDirectory()
    for peer in peers[..<3] { try files.makeDirectories(directory.log(of: peer)) }
    let scanner = ContainerScanner(directory, using: files, memory: ListingMemory())
    for _ in 0..<2 {
      _ = try scanner.scan()
      #expect(files.takeListed().count == 1 + 2 * 3)
    }
  }

  @Test func `a manifest that is replaced shows at once, one that is written over soon`() throws {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let directory = try scratch.contentDirectory()
    for peer in peers { try files.makeDirectories(directory.log(of: peer)) }
    let memory = ListingMemory()
    let scanner = ContainerScanner(directory, using: files, memory: memory)
    func write(_ text: String, of peer: PeerIdentity) throws {
      try files.replace(directory.manifest(of: peer), with: Array(text.utf8))
    }
    func seen() throws -> [FileStatus?] {
      try memory.manifests(of: scanner.scan(), in: directory, using: files).map { try $0.get() }
    }
    func present() throws -> [FileStatus?] {
      try peers.map { try files.status(directory.manifest(of: $0)) }
    }
    for peer in peers[1...] { try write("{}", of: peer) }
    #expect(try seen() == present())
    _ = files.takeAsked()
    let second = try seen()
    #expect(files.takeAsked().count == peers.count / 8)
    #expect(try second == present())

    try write("{\"a\":1}", of: peers[3])
    files.change(directory.peer(peers[3]))
    #expect(try seen() == present())

    // Without a trace in the directory.
    for peer in peers { try write("{\"b\":12}", of: peer) }
    var lookCount = 0
    repeat {
      lookCount += 1
      try #require(lookCount <= 8)
    } while try seen() != present()
  }

  @Test func `names are listed again where a directory has changed`() throws {
    let scratch = try Scratch()
    let files = StampedFileSystem()
    let directory = try scratch.contentDirectory()
    let paths = peers.map { directory.log(of: $0) }
    for path in paths { try files.makeDirectories(path) }
    let names = DirectoryNames()
    try publish(1, of: peers[0], directory)
    #expect(names.names(in: paths, using: files).map(\.count) == [1] + peers[1...].map { _ in 0 })
    #expect(files.takeListed() == paths)
    try publish(1, of: peers[5], directory)
    files.change(paths[5])
    files.hide(paths[7])
    #expect(names.names(in: paths, using: files).map(\.count).reduce(0, +) == 2)
    #expect(files.takeListed() == [paths[5], paths[7]])
    // One that is not there has none; few are listed each time.
    let few = [paths[5], scratch["nothing"]]
    for _ in 0..<2 {
      #expect(names.names(in: few, using: files).map(\.count) == [1, 0])
      #expect(files.takeListed() == few)
    }
  }
}

/// A file system whose directories get new stamps only by `change`, and which notes what is listed.
private final class StampedFileSystem: ForwardingFileSystem {
  let base: any FileSystem = LocalFileSystem()

  private struct State {
    var changes: [String: Int64] = [:]
    var listed: [String] = []
    var asked: [String] = []
    var hidden: String?
  }

  private let state = Mutex(State())

  func change(_ directory: String) { state.withLock { $0.changes[directory, default: 0] += 1 } }

  /// Has one directory show no stamp; with `nil`, all show theirs.
  func hide(_ directory: String?) { state.withLock { $0.hidden = directory } }

  /// Returns the directories that were listed since the last call.
  func takeListed() -> [String] {
    state.withLock { state in
      defer { state.listed = [] }
      return state.listed
    }
  }

  /// Returns the paths whose status was asked for since the last call.
  func takeAsked() -> [String] {
    state.withLock { state in
      defer { state.asked = [] }
      return state.asked
    }
  }

  func status(_ path: String) throws(FileError) -> FileStatus? {
    state.withLock { $0.asked.append(path) }
    return try base.status(path)
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    state.withLock { $0.listed.append(directory) }
    return try base.list(directory)
  }

  func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?] {
    var stamps: [DirectoryStamp?] = []
    for directory in directories {
      let status = try base.status(directory)
      let (changes, hidden) = state.withLock { ($0.changes[directory] ?? 0, $0.hidden) }
      stamps.append(
        hidden == directory
          ? nil : status.map { DirectoryStamp(identity: $0.identity, changedNanoseconds: changes) })
    }
    return stamps
  }
}
