import Glibc
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryTesting

struct SegmentStoreTests {
  /// A content directory with a store of one peer's segments in it, and how to make some.
  struct Setting {
    let scratch: Scratch
    let directory: ContentDirectory
    let store: SegmentStore

    init(_ content: String = "Bücher und 音楽", peer: PeerIdentity = alice) throws {
      scratch = try Scratch()
      directory = try scratch.contentDirectory(content)
      store = SegmentStore(directory, peer: peer, using: scratch.files)
      try store.makeDirectories()
    }

    func names() throws -> [String] { try scratch.files.list(store.path).map(\.name).sorted() }

    func read(_ name: SegmentName) throws -> [UInt8] {
      try scratch.files.read(store.path(of: name), limit: 1 << 24)
    }

    /// Puts bytes under a name as a carrier would.
    func put(_ bytes: some Sequence<UInt8>, as name: String) {
      let file = fopen(store.path.appending(component: name), "w")!
      let bytes = Array(bytes)
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
    }

    func using(_ files: any FileSystem) -> SegmentStore {
      SegmentStore(directory, peer: store.peer, using: files)
    }
  }

  static func header(
    _ peer: PeerIdentity, _ content: String, _ range: ClosedRange<UInt64>, peerCount: UInt64 = 0
  ) -> SegmentHeader {
    let others = (0..<peerCount).map {
      Knowledge.Entry(peer: PeerIdentity(high: 1, low: $0), sequence: .init(5))
    }
    return SegmentHeader(
      peer: peer, first: .init(range.lowerBound), last: .init(range.upperBound),
      firstTime: HybridTime(rawValue: 1000 + range.lowerBound),
      lastTime: HybridTime(rawValue: 1000 + range.upperBound),
      contentName: content, knowledge: Knowledge(others))
  }

  /// A real segment of transactions that hold nothing.
  static func write(_ header: SegmentHeader, into sink: some ByteSink) throws -> UInt64 {
    var writer = try SegmentWriter(header: header, sink: sink)
    try writer.define(schema: 1, name: "s")
    for sequence in header.first.rawValue...header.last.rawValue {
      try writer.begin(
        TransactionHeader(
          sequence: .init(sequence), time: HybridTime(rawValue: 1000 + sequence), schema: 1,
          knowledge: header.knowledge))
      try writer.end(changeCount: 0)
    }
    return try writer.finish().contentHash
  }

  static func publish(
    _ range: ClosedRange<UInt64>, in store: SegmentStore, peerCount: UInt64 = 0
  ) throws -> SegmentName {
    let header = header(
      store.peer, store.directory.name.text, range, peerCount: peerCount)
    return try store.publish(first: header.first, last: header.last) { sink in
      try write(header, into: sink)
    }
  }

  @Test(arguments: [0, 100, 500, 20_000] as [UInt64])
  func `a published segment is read, verified and removed`(peerCount: UInt64) throws {
    let setting = try Setting()
    let name = try Self.publish(3...9, in: setting.store, peerCount: peerCount)
    #expect(name.first == .init(3) && name.last == .init(9))
    #expect(try setting.names() == [name.description])
    let expected = Self.header(alice, setting.directory.name.text, 3...9, peerCount: peerCount)
    #expect(try setting.store.header(of: name) == expected)
    try setting.store.verify(name)
    let size = UInt64(try setting.read(name).count)
    #expect(try setting.store.status(of: name)?.size == size)

    var reader = try SegmentReader(source: try setting.store.open(name))
    var sequences: [UInt64] = []
    while let transaction = try reader.nextTransaction() {
      sequences.append(transaction.sequence.rawValue)
    }
    #expect(sequences == Array(3...9))

    try setting.store.remove(name)
    try setting.store.remove(name)
    #expect(try setting.names() == [])
    #expect(try setting.store.status(of: name) == nil)
    #expect { _ = try setting.store.open(name) } throws: { has(.missingFile, $0) }
    #expect { _ = try setting.store.header(of: name) } throws: { has(.missingFile, $0) }
  }

  @Test func `a header is read without the rest of the file`() throws {
    let setting = try Setting()
    let name = try Self.publish(1...20_000, in: setting.store)
    let files = FailingFileSystem(at: 0, code: 0)
    _ = try setting.using(files).header(of: name)
    #expect(files.log == [.open] + Array(repeating: .read, count: 5))
  }

  @Test func `every truncation is damage that heals by itself`() throws {
    let setting = try Setting()
    let name = try Self.publish(1...3, in: setting.store, peerCount: 100)
    let whole = try setting.read(name)
    let path = setting.store.path(of: name)
    for count in 0..<whole.count {
      truncate(path, count)
      #expect {
        try setting.store.verify(name)
      } throws: {
        has(.damagedFile, $0) && ($0 as? ContainerError)?.path == path && "\($0)".contains(path)
          && "\($0)".contains("by itself")
      }
      let headerByteCount = 8 + 70 + setting.directory.name.text.utf8.count + 100 * 24
      if count < headerByteCount {
        #expect { _ = try setting.store.header(of: name) } throws: { has(.damagedFile, $0) }
      } else {
        _ = try setting.store.header(of: name)
      }
      setting.put(whole, as: name.description)
    }
    try setting.store.verify(name)
  }

  @Test func `every changed byte is found`() throws {
    let setting = try Setting()
    let name = try Self.publish(1...3, in: setting.store)
    let whole = try setting.read(name)
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0x41
      setting.put(changed, as: name.description)
      #expect {
        try setting.store.verify(name)
      } throws: {
        has(.damagedFile, $0) || has(.newerFormat, $0)
      }
    }
    setting.put(whole + [0], as: name.description)
    #expect { try setting.store.verify(name) } throws: { has(.damagedFile, $0) }
    setting.put(Array(repeating: 0, count: whole.count), as: name.description)
    #expect { try setting.store.verify(name) } throws: { has(.damagedFile, $0) }
  }

  @Test func `a newer format is told apart from damage`() throws {
    let setting = try Setting()
    let name = try Self.publish(1...3, in: setting.store)
    var bytes = try setting.read(name)
    // The major version, after the frame's head and the magic.
    bytes[16] = 9
    setting.put(bytes, as: name.description)
    #expect { _ = try setting.store.header(of: name) } throws: {
      has(.newerFormat, $0) && "\($0)".contains(setting.store.path(of: name))
    }
    #expect { try setting.store.verify(name) } throws: { has(.newerFormat, $0) }
  }

  @Test func `a segment that belongs elsewhere is foreign`() throws {
    let setting = try Setting()
    let content = setting.directory.name.text
    for header in [
      Self.header(bob, content, 1...3), Self.header(alice, "Other", 1...3),
      Self.header(alice, content, 1...4), Self.header(alice, content, 2...3),
    ] {
      let sink = MemorySink()
      var writer = try SegmentWriter(header: header, sink: sink)
      try writer.define(schema: 1, name: "s")
      for sequence in header.first.rawValue...header.last.rawValue {
        try writer.begin(
          TransactionHeader(
            sequence: .init(sequence), time: HybridTime(rawValue: 1000 + sequence), schema: 1,
            knowledge: Knowledge()))
        try writer.end(changeCount: 0)
      }
      let finished = try writer.finishReturningSink()
      let hash = finished.summary.contentHash
      let bytes = finished.takeSink().bytes
      let name = SegmentName(first: .init(1), last: .init(3), hash: hash)
      setting.put(bytes, as: name.description)
      #expect { _ = try setting.store.header(of: name) } throws: { has(.foreign, $0) }
      #expect { try setting.store.verify(name) } throws: { has(.foreign, $0) }
    }
  }

  @Test func `a copy under another name is recognised`() throws {
    let setting = try Setting()
    let name = try Self.publish(1...3, in: setting.store, peerCount: 500)
    let bytes = try setting.read(name)
    setting.put(bytes, as: "copy (1).lz4")
    #expect(try setting.store.identify("copy (1).lz4") == name)
    setting.put(bytes.dropLast(), as: "copy (1).lz4")
    #expect { _ = try setting.store.identify("copy (1).lz4") } throws: { has(.damagedFile, $0) }
    setting.put([], as: "empty.lz4")
    #expect { _ = try setting.store.identify("empty.lz4") } throws: { has(.damagedFile, $0) }
    setting.put(Array("hello, world, this is no segment".utf8), as: "text.lz4")
    #expect { _ = try setting.store.identify("text.lz4") } throws: { has(.damagedFile, $0) }
    #expect { _ = try setting.store.identify("none.lz4") } throws: { has(.missingFile, $0) }
  }

  @Test func `publishing again changes nothing, and heals what a carrier has cut`() throws {
    let setting = try Setting()
    let name = try Self.publish(1...50, in: setting.store)
    let path = setting.store.path(of: name)
    let before = try #require(try setting.scratch.files.status(path))
    #expect(try Self.publish(1...50, in: setting.store) == name)
    #expect(try setting.scratch.files.status(path) == before)
    truncate(path, 10)
    #expect(try Self.publish(1...50, in: setting.store) == name)
    try setting.store.verify(name)
    #expect(try setting.scratch.files.status(path)?.size == before.size)
    #expect(try setting.names() == [name.description])
  }

  @Test func `nothing is written where the directory is gone`() throws {
    let setting = try Setting()
    try setting.scratch.files.remove(setting.store.path)
    #expect { _ = try Self.publish(1...2, in: setting.store) } throws: {
      has(.absent, $0) && "\($0)".contains("reseed")
    }
    #expect(try setting.scratch.files.status(setting.store.path) == nil)
  }

  @Test func `directories are made again in the peer's own one only`() throws {
    let setting = try Setting()
    try setting.scratch.files.remove(setting.store.path)
    try setting.store.restoreDirectories()
    #expect(try setting.names() == [])
    let own = setting.directory.peer(alice)
    for path in [setting.store.path, setting.directory.baseline(of: alice), own] {
      try setting.scratch.files.remove(path)
    }
    #expect { try setting.store.restoreDirectories() } throws: { has(.absent, $0) }
    #expect(try setting.scratch.files.status(own) == nil)
  }

  @Test func `what the writer of the body throws comes through, and nothing stays`() throws {
    struct Broken: Error {}
    let setting = try Setting()
    #expect(throws: Broken.self) {
      _ = try setting.store.publish(first: .init(1), last: .init(2)) { sink in
        try [UInt8](repeating: 7, count: 100_000).withUnsafeBytes { try sink.write($0) }
        #expect(sink.byteCount == 100_000)
        throw Broken()
      }
    }
    #expect(try setting.names() == [])
  }

  @Test(arguments: [EIO, ENOSPC, EDQUOT, EROFS, ESTALE, EACCES])
  func `whatever fails, nothing half-published shows under a final name`(code: Int32) throws {
    let setting = try Setting()
    var failures = 0
    while true {
      let files = FailingFileSystem(at: failures + 1, code: code)
      var failure: (any Error)?
      do { _ = try Self.publish(1...5, in: setting.using(files)) } catch { failure = error }
      for file in try setting.names() {
        let name = try #require(SegmentName(file), "\(file) stayed behind")
        try setting.store.verify(name)
      }
      #expect((failure != nil) == files.hasFailed)
      if let failure {
        let error = try #require(failure as? ContainerError)
        #expect((error.underlying as? FileError)?.code == code)
        let expected: ContainerError.Code =
          switch code {
          case ENOSPC, EDQUOT: .full
          case EROFS: .readOnly
          default: .inaccessible
          }
        #expect(error.code == expected)
      }
      let name = try Self.publish(1...5, in: setting.store)
      try setting.store.verify(name)
      #expect(try setting.names() == [name.description])
      try setting.store.remove(name)
      if !files.hasFailed { break }
      failures += 1
    }
    // Temporary, write, status, fsync, rename, fsync of the directory.
    #expect(failures == 6)
  }

  @Test(arguments: [EIO, ESTALE, ENOENT])
  func `a failure while reading is told, never taken for damage`(code: Int32) throws {
    let setting = try Setting()
    let name = try Self.publish(1...3, in: setting.store, peerCount: 300)
    var failures = 0
    while true {
      let files = FailingFileSystem(at: failures + 1, code: code)
      do {
        try setting.using(files).verify(name)
        #expect(!files.hasFailed)
        break
      } catch {
        #expect(has(code == ENOENT ? .missingFile : .inaccessible, error))
      }
      failures += 1
    }
    #expect(failures > 8)
  }

  @Test func `a link, a directory or a pipe under a good name is refused at once`() throws {
    let setting = try Setting()
    let name = SegmentName(first: .init(1), last: .init(1), hash: 1)
    let path = setting.store.path(of: name)
    symlink("/etc/passwd", path)
    #expect { try setting.store.verify(name) } throws: { has(.inaccessible, $0) }
    unlink(path)
    mkfifo(path, 0o600)
    #expect { try setting.store.verify(name) } throws: { has(.inaccessible, $0) }
    unlink(path)
    try setting.scratch.files.makeDirectories(path)
    #expect { try setting.store.verify(name) } throws: { has(.inaccessible, $0) }
  }
}
