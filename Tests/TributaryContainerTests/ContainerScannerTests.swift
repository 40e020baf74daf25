import Glibc
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryTesting

struct ContainerScannerTests {
  static let first = SegmentName(first: .init(1), last: .init(3), hash: 0x1111_2222_3333_4444)
  static let second = SegmentName(first: .init(4), last: .init(4), hash: 0xaaaa_bbbb_cccc_dddd)

  static let junk: [(String, IgnoredFile.Reason)] = [
    (".tmp-0123456789abcdef", .temporary),
    (".syncthing.\(first).tmp", .temporary),
    ("~syncthing~\(first).tmp", .temporary),
    ("\(first).partial", .temporary),
    ("\(first).5f3a9c1b.partial", .temporary),
    (".\(first).Xa81Kd", .temporary),
    ("\(first).part", .temporary),
    ("\(first).crdownload", .temporary),
    (".goutputstream-ABC123", .temporary),
    (".~\(first).7f3a", .temporary),
    (".unison.\(first).0123.unison.tmp", .temporary),
    ("\(first).!sync", .temporary),
    (".~lock.peer.json#", .temporary),
    ("peer.json~", .temporary),
    ("peer.sync-conflict-20250102-030405-ABCDEFG.json", .conflictCopy),
    ("peer (Ada's conflicted copy 2025-01-02).json", .conflictCopy),
    ("peer (conflicted copy 2025-01-02 030405).json", .conflictCopy),
    ("peer (Case Conflict).json", .conflictCopy),
    ("peer (SFConflict ada@example.com 2025-01-02-03-04-05).json", .conflictCopy),
    ("peer_conflict-20250102-030405.json", .conflictCopy),
    ("peer.json.conflict1", .conflictCopy),
    ("peer.json..path2", .conflictCopy),
    ("peer (1).json", .conflictCopy),
    ("peer 2.json", .conflictCopy),
    (".\(first).icloud", .placeholder),
    ("\(first).nextcloud", .placeholder),
    (".nfs000000000012d6870000000c", .removedWhileOpen),
    (".fuse_hidden0000000400000001", .removedWhileOpen),
    (".DS_Store", .system),
    ("._\(first)", .system),
    ("desktop.ini", .system),
    ("Thumbs.db", .system),
    (".stfolder", .system),
    ("notes.txt", .unknown),
    ("\(first).lz4.gz", .unknown),
    ("é", .unknown),
  ]

  @Test func `a listing tells segments in order, candidates and junk apart`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    let log = directory.log(of: alice)
    try scratch.files.makeDirectories(log)
    try scratch.files.makeDirectories(directory.baseline(of: alice))
    func write(_ path: String) { fclose(fopen(path, "w")) }
    write(directory.manifest(of: alice))
    write(log.appending(component: Self.second.description))
    write(log.appending(component: Self.first.description))
    let candidates = [
      "\(Self.first)".replacing(".lz4", with: ".sync-conflict-20250102-030405-ABCDEFG.lz4"),
      "\(Self.first)".replacing(".lz4", with: " (1).lz4"),
      "\(Self.first)".uppercased(), "x.lz4",
    ].sorted()
    for name in candidates + Self.junk.map(\.0) { write(log.appending(component: name)) }
    try scratch.files.makeDirectories(
      log.appending(component: "0000000000000009-0000000000000009-0000000000000000.lz4"))
    symlink("/etc/passwd", log.appending(component: "link.lz4"))
    write(directory.peer(alice).appending(component: "peer (1).json"))

    var expected = PeerListing(peer: alice)
    expected.hasManifest = true
    expected.hasBaselines = true
    expected.segments = [Self.first, Self.second].map { SegmentFile(name: $0, directory: log) }
    expected.misnamed = candidates
    expected.ignored =
      (Self.junk.map { IgnoredFile(path: "log/" + $0.0, reason: $0.1) }
      + [
        IgnoredFile(
          path: "log/0000000000000009-0000000000000009-0000000000000000.lz4", reason: .wrongKind),
        IgnoredFile(path: "log/link.lz4", reason: .wrongKind),
        IgnoredFile(path: "peer (1).json", reason: .conflictCopy),
      ]).sorted { $0.path < $1.path }
    let listing = try ContainerScanner(directory, using: scratch.files).scan()
    #expect(listing.ignored == [])
    #expect(listing.peers.count == 1)
    #expect(listing.peers[0].ignored == expected.ignored)
    #expect(listing.peers[0] == expected)
  }

  @Test func `peers are listed in order, and what is none is told`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    #expect { _ = try ContainerScanner(directory, using: scratch.files).scan() } throws: {
      has(.absent, $0)
    }
    try scratch.files.makeDirectories(directory.log(of: bob))
    try scratch.files.makeDirectories(directory.peer(alice))
    for name in ["A11CE000000000010123456789ABCDEF", "abc", ".stfolder"] {
      try scratch.files.makeDirectories(directory.peers.appending(component: name))
    }
    let file = PeerIdentity(high: 1, low: 2).description
    fclose(fopen(directory.peers.appending(component: file), "w"))
    let listing = try ContainerScanner(directory, using: scratch.files).scan()
    #expect(listing.peers == [PeerListing(peer: alice), PeerListing(peer: bob)])
    #expect(
      listing.ignored == [
        IgnoredFile(path: ".stfolder", reason: .system),
        IgnoredFile(path: file, reason: .wrongKind),
        IgnoredFile(path: "A11CE000000000010123456789ABCDEF", reason: .unknown),
        IgnoredFile(path: "abc", reason: .unknown),
      ])
    let nobody = PeerIdentity(high: 7, low: 7)
    #expect(
      ContainerScanner(directory, using: scratch.files).scan(nobody) == PeerListing(peer: nobody))
  }

  @Test(arguments: [EIO, EACCES, ESTALE])
  func `a peer that cannot be listed hides no other`(code: Int32) throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    for peer in [alice, bob] {
      try scratch.files.makeDirectories(directory.log(of: peer))
      let path = directory.log(of: peer).appending(component: Self.first.description)
      fclose(fopen(path, "w"))
    }
    let whole = try ContainerScanner(directory, using: scratch.files).scan()
    #expect(whole.peers.map(\.segments.count) == [1, 1])
    // The first operation lists the peers, then two for each.
    #expect {
      _ = try ContainerScanner(directory, using: FailingFileSystem(at: 1, code: code)).scan()
    } throws: {
      has(.inaccessible, $0)
    }
    for operation in 2...5 {
      let files = FailingFileSystem(at: operation, code: code)
      let listing = try ContainerScanner(directory, using: files).scan()
      #expect(listing.peers.map(\.peer) == [alice, bob])
      #expect(listing.peers.filter { $0.failure?.code == code }.count == 1)
      #expect(listing.peers.filter { whole.peers.contains($0) }.count == 1)
      #expect(files.log.count <= 5)
    }
  }

  @Test func `sizes are asked for one by one, later`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    try scratch.files.makeDirectories(directory.log(of: alice))
    let path = directory.log(of: alice).appending(component: Self.first.description)
    let file = fopen(path, "w")!
    fputs("12345", file)
    fclose(file)
    let files = FailingFileSystem(at: 0, code: 0)
    let listing = ContainerScanner(directory, using: files).scan(alice)
    #expect(files.log == [.list, .list])
    #expect(listing.segments.map(\.path) == [path])
    #expect(try listing.segments[0].size(using: files) == 5)
    unlink(path)
    #expect(try listing.segments[0].size(using: files) == nil)
  }

  @Test func `ten thousand segments are listed in well under a second of processor time`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    let log = directory.log(of: alice)
    try scratch.files.makeDirectories(log)
    var random = SplitMix(state: 5)
    for number: UInt64 in 1...10_000 {
      let name = SegmentName(first: .init(number), last: .init(number), hash: random.next())
      close(Glibc.open(log.appending(component: name.description), O_CREAT | O_WRONLY, 0o600))
    }
    // A tenth of that without optimisation; comparing each with each would take many seconds.
    let files = FailingFileSystem(at: 0, code: 0)
    let scanner = ContainerScanner(directory, using: files)
    let spent = try processorTime(attempts: 7) {
      let listing = try scanner.scan()
      #expect(listing.peers[0].segments.count == 10_000)
      #expect(listing.peers[0].segments.map(\.name.first.rawValue) == Array(1...10_000))
    }
    #expect(spent < .seconds(1))
    // The peers, what the peer has, and its log: nothing is asked of each segment.
    #expect(files.log.count == 7 * 3)
    print("10,000 segments listed in \(spent) of processor time")
  }
}
