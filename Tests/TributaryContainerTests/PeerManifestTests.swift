import Glibc
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributaryTesting

struct PeerManifestTests {
  static func manifest(_ directory: ContentDirectory) -> PeerManifest {
    PeerManifest(
      peer: alice, name: "Küche/\"1\"\n", content: directory.name, sequence: .init(17),
      receipt: Knowledge([
        .init(peer: bob, sequence: .max), .init(peer: alice, sequence: .init(17)),
      ]),
      times: [bob: HybridTime(milliseconds: 1_700_000_000_000, counter: 3)],
      former: [alice: ManifestFormer(last: .zero, reissued: .init(2))], retired: [bob, alice],
      schema: ManifestSchema(
        id: "3f", tables: ["albums", "tracks"],
        sql: ["CREATE TABLE albums (id INTEGER PRIMARY KEY)"],
        migrations: ["v1", "v2"],
        merge: ["tracks": ManifestMerge(merge: "row", columns: ["plays": "counter"])]))
  }

  @Test func `the file is one line with its keys in order`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    let expected =
      #"{"checksum":"CHECKSUM","content":"Library","format":{"major":1,"minor":1},"#
      + #""former":{"a11ce000000000010123456789abcdef":{"last":0,"reissued":2}},"#
      + #""name":"Küche/\"1\"\n","#
      + #""peer":"a11ce000000000010123456789abcdef","#
      + #""receipt":{"a11ce000000000010123456789abcdef":17,"#
      + #""b0b0000000000002fedcba9876543210":9223372036854775807},"#
      + #""retired":["a11ce000000000010123456789abcdef","b0b0000000000002fedcba9876543210"],"#
      + #""schema":{"id":"3f","merge":{"tracks":{"columns":{"plays":"counter"},"merge":"row"}},"#
      + #""migrations":["v1","v2"],"#
      + #""sql":["CREATE TABLE albums (id INTEGER PRIMARY KEY)"],"tables":["albums","tracks"]},"#
      + #""sequence":17,"times":{"b0b0000000000002fedcba9876543210":"#
      + #"{"counter":3,"milliseconds":1700000000000}}}"# + "\n"
    let text = String(decoding: Self.manifest(directory).bytes, as: UTF8.self)
    // What `tail -c +30 peer.json | b2sum -l 256 | cut -c1-16` prints.
    #expect(text == expected.replacing("CHECKSUM", with: "004b48d7b1acfc2d"))
  }

  @Test func `what was issued again for others is read as it was written`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = Self.manifest(directory)
    let former = PeerIdentity(high: 1, low: 2)
    let range = ManifestFormer(
      last: .init(3), reissued: .init(4), time: HybridTime(milliseconds: 5, counter: 6))
    manifest.former[former] = range
    manifest.adopted[PeerIdentity(high: 1, low: 3)] = ManifestAdoption(former: former, range: range)
    manifest.reissued = [bob: .init(7)]
    #expect(
      try PeerManifest(decoding: manifest.bytes, of: manifest.peer, in: directory) == manifest)
  }

  /// What a peer says that obeys one declaration and proposes the next.
  static func horizon() -> ManifestHorizon {
    let entries = [
      BaselineHeader.Entry(peer: alice, sequence: .init(16), time: HybridTime(rawValue: 1 << 20)),
      BaselineHeader.Entry(peer: bob, sequence: .init(3), time: .zero),
    ]
    let proposal = Declaration(weight: 5, members: [bob, alice], entries: entries)
    return ManifestHorizon(
      made: .init(18), obeyed: 1, settled: 0xAB, promises: [2, proposal.identifier],
      proposal: proposal)
  }

  @Test func `what a peer states about horizons is read as it was written`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = Self.manifest(directory)
    for horizon in [Self.horizon(), ManifestHorizon(made: .zero)] {
      manifest.horizon = horizon
      #expect(
        try PeerManifest(decoding: manifest.bytes, of: manifest.peer, in: directory) == manifest)
    }
    manifest.horizon = Self.horizon()
    let text = String(decoding: manifest.bytes, as: UTF8.self)
    #expect(
      text.contains(
        #""horizon":{"made":18,"obeys":"0000000000000001","promises":["0000000000000002","#))
    #expect(text.contains(#""settled":"00000000000000ab"},"name""#))
    let stating = PeerManifest(
      peer: alice, name: "", content: directory.name, sequence: .zero, receipt: Knowledge(),
      horizon: manifest.horizon, schema: manifest.schema)
    #expect(stating.format.description == "1.2")
  }

  @Test(arguments: [
    ("\"made\":18", "\"made\":-1"), ("\"made\":18", "\"other\":18"),
    ("\"obeys\":\"0000000000000001\"", "\"obeys\":\"1\""),
    ("\"0000000000000002\"", "\"000000000000000G\""), ("\"weight\":5", "\"weight\":6"),
    ("\"weight\":5", "\"weight\":0"), ("\"weight\":5", "\"weight\":9007199254740992"),
    ("\"sequence\":16", "\"sequence\":0"), ("\"sequence\":16", "\"sequence\":15"),
    ("\"milliseconds\":16", "\"milliseconds\":281474976710656"),
    ("\"milliseconds\":16", "\"milliseconds\":17"),
    (
      "\"peer\":\"a11ce000000000010123456789abcdef\",\"sequence\":16",
      "\"peer\":\"ffffffffffffffffffffffffffffffff\",\"sequence\":16"
    ),
    ("\"members\":[\"a11ce000000000010123456789abcdef\",", "\"members\":["),
    (
      "\"members\":[\"a11ce000000000010123456789abcdef\",",
      "\"members\":[\"b0b0000000000002fedcba9876543210\","
    ),
  ])
  func `what breaks a rule about horizons is damage`(old: String, new: String) throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = Self.manifest(directory)
    manifest.horizon = Self.horizon()
    let text = Self.unsealed(manifest)
    let parts = text.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    #expect {
      let changed = Array((parts[0] + new + parts[1]).utf8)
      _ = try PeerManifest(decoding: changed, of: alice, in: directory)
    } throws: {
      has(.damagedFile, $0)
    }
  }

  @Test func `numbers are there where there are some`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = Self.manifest(directory)
    #expect(!String(decoding: manifest.bytes, as: UTF8.self).contains("userVersion"))
    manifest.schema.userVersion = .max
    manifest.schema.applicationID = .min
    manifest.schema.spent = ["tracks": .max]
    let text = String(decoding: manifest.bytes, as: UTF8.self)
    #expect(text.contains(#""userVersion":2147483647"#))
    #expect(text.contains(#""applicationId":-2147483648"#))
    #expect(text.contains(#""spent":{"tracks":9223372036854775807}"#))
    #expect(
      try PeerManifest(decoding: manifest.bytes, of: manifest.peer, in: directory) == manifest)
  }

  /// As the format 1.0 had it, without a checksum.
  private static func unsealed(_ manifest: PeerManifest) -> String {
    var manifest = manifest
    manifest.format.minor = 0
    return String(decoding: ManifestSeal.opened(manifest.bytes), as: UTF8.self)
  }

  @Test func `a manifest without a checksum is read if its format had none`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = Self.manifest(directory)
    let newer = ManifestSeal.opened(manifest.bytes)
    #expect { _ = try PeerManifest(decoding: newer, of: alice, in: directory) } throws: {
      has(.damagedFile, $0) && "\($0)".contains("it does not begin with its checksum")
    }
    manifest.format.minor = 0
    let old = Array(Self.unsealed(manifest).utf8)
    #expect(old.starts(with: #"{"content""#.utf8))
    #expect(try PeerManifest(decoding: old, of: alice, in: directory) == manifest)
  }

  @Test func `every change of one byte is damage, not another declaration`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    let bytes = Self.manifest(directory).bytes
    for index in bytes.indices {
      for change: UInt8 in [1, 2, 0x20, 0xFF] {
        var changed = bytes
        changed[index] ^= change
        #expect {
          _ = try PeerManifest(decoding: changed, of: alice, in: directory)
        } throws: {
          has(.damagedFile, $0) && "\($0)".contains(directory.manifest(of: alice))
        }
      }
    }
  }

  @Test func `who asks for one peer gets what concerns it and everything else`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    let manifest = Self.manifest(directory)
    for subject in [alice, bob, PeerIdentity(high: 1, low: 2)] {
      var expected = manifest
      expected.receipt = Knowledge(manifest.receipt.entries.filter { $0.peer == subject })
      expected.times = manifest.times.filter { $0.key == subject }
      let read = try PeerManifest(
        decoding: manifest.bytes, of: alice, in: directory, about: subject)
      #expect(read == expected)
    }
    var without = manifest
    without.times = [:]
    let read = try PeerManifest(decoding: without.bytes, of: alice, in: directory, about: bob)
    #expect(read.times.isEmpty && read.receipt[bob] == .max)
    // What it says of others does not matter then; what it says of that peer does.
    let text = Self.unsealed(manifest)
    let wrong = Array(text.replacing(":17,\"b0", with: ":-1,\"b0").utf8)
    #expect(throws: ContainerError.self) {
      try PeerManifest(decoding: wrong, of: alice, in: directory)
    }
    #expect(throws: ContainerError.self) {
      try PeerManifest(decoding: wrong, of: alice, in: directory, about: alice)
    }
    #expect(
      try PeerManifest(decoding: wrong, of: alice, in: directory, about: bob).receipt[bob] == .max)
  }

  @Test func `a manifest survives the file, and equal ones are equal bytes`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Bücher"))
    var random = SplitMix(state: 11)
    for _ in 0..<50 {
      var manifest = Self.manifest(directory)
      let peers = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        PeerIdentity.random(using: &random)
      }
      let entries = peers.map {
        Knowledge.Entry(peer: $0, sequence: .init(.random(in: 1...1000, using: &random)))
      }
      manifest.receipt = Knowledge(entries)
      manifest.retired = Set(peers.prefix(5))
      let read = try PeerManifest(decoding: manifest.bytes, of: alice, in: directory)
      #expect(read == manifest)
      var again = manifest
      again.receipt = Knowledge(entries.shuffled(using: &random))
      again.retired = Set(peers.prefix(5).reversed())
      #expect(again.bytes == manifest.bytes)
    }
  }

  @Test func `every truncation is damage`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    let bytes = Self.manifest(directory).bytes
    for count in bytes.indices {
      #expect {
        _ = try PeerManifest(decoding: Array(bytes[..<count]), of: alice, in: directory)
      } throws: {
        has(.damagedFile, $0) && "\($0)".contains(directory.manifest(of: alice))
      }
    }
  }

  @Test func `no change of a byte is a crash`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    let bytes = Self.manifest(directory).bytes
    var random = SplitMix(state: 3)
    for _ in 0..<3000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        changed[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      do throws(ContainerError) {
        let read = try PeerManifest(decoding: changed, of: alice, in: directory)
        #expect(read.peer == alice && read.content == directory.name)
      } catch {
        #expect([.damagedFile, .foreign, .newerFormat].contains(error.code))
      }
    }
  }

  @Test(arguments: [
    ("\"sequence\":17", "\"sequence\":-1"), ("\"sequence\":17", "\"sequence\":9223372036854775808"),
    ("\"sequence\":17", "\"sequence\":\"17\""), ("\"sequence\":17", "\"other\":17"),
    ("abcdef\":17", "abcdef\":0"), ("abcdef\":17", "abcdeF\":17"), ("abcdef\":17", "abcdef\":1.5"),
    ("\"content\":\"Library\"", "\"content\":\"../x\""), ("\"name\":\"x\"", "\"name\":null"),
    ("[\"v1\"]", "\"v1\""), ("\"major\":1", "\"major\":70000"),
    ("\"retired\":[", "\"retired\":[1,"), ("\"last\":0", "\"last\":-1"),
    ("\"milliseconds\":1700000000000", "\"milliseconds\":281474976710656"),
  ])
  func `a value that breaks a rule is damage`(old: String, new: String) throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var manifest = Self.manifest(directory)
    manifest.name = "x"
    manifest.schema.migrations = ["v1"]
    let text = Self.unsealed(manifest)
    let parts = text.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let changed = Array((parts[0] + new + parts[1]).utf8)
    #expect {
      _ = try PeerManifest(decoding: changed, of: alice, in: directory)
    } throws: {
      has(.damagedFile, $0)
    }
  }

  @Test func `unknown keys are passed over`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    let manifest = Self.manifest(directory)
    let text = String(decoding: ManifestSeal.opened(manifest.bytes), as: UTF8.self)
    let extended = #"{"aNew":[{"x":null}],"zNew":1e9,"# + text.dropFirst()
    let sealed = ManifestSeal.sealed(Array(extended.utf8))
    #expect(try PeerManifest(decoding: sealed, of: alice, in: directory) == manifest)
  }

  @Test func `a newer major format is rejected before the rest is looked at`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    let newer = #"{"format":{"major":2,"minor":7,"more":true},"peer":{"changed":"meaning"}}"#
    #expect {
      _ = try PeerManifest(decoding: Array(newer.utf8), of: alice, in: directory)
    } throws: {
      has(.newerFormat, $0) && "\($0)".contains("2.7")
        && "\($0)".contains(directory.manifest(of: alice))
    }
    var minor = Self.manifest(directory)
    minor.format.minor = 9
    #expect(try PeerManifest(decoding: minor.bytes, of: alice, in: directory) == minor)
  }

  @Test func `another peer's and another content's manifest is foreign`() throws {
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    let other = ContentDirectory(container: "/c", name: try ContentName("library"))
    let bytes = Self.manifest(directory).bytes
    #expect { _ = try PeerManifest(decoding: bytes, of: bob, in: directory) } throws: {
      has(.foreign, $0) && "\($0)".contains(alice.description)
    }
    #expect { _ = try PeerManifest(decoding: bytes, of: alice, in: other) } throws: {
      has(.foreign, $0)
    }
  }

  @Test func `hostile files are refused within bounds`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    let path = directory.manifest(of: alice)
    try scratch.files.makeDirectories(directory.peer(alice))
    let deep = Array(String(repeating: "[", count: 1 << 20).utf8)
    #expect { _ = try PeerManifest(decoding: deep, of: alice, in: directory) } throws: {
      has(.damagedFile, $0)
    }
    // A sparse file of many gigabytes.
    close(Glibc.open(path, O_CREAT | O_WRONLY, 0o600))
    truncate(path, 1 << 36)
    #expect { _ = try PeerManifest.read(of: alice, in: directory, using: scratch.files) } throws: {
      has(.damagedFile, $0)
    }
    unlink(path)
    symlink("/etc/passwd", path)
    #expect { _ = try PeerManifest.read(of: alice, in: directory, using: scratch.files) } throws: {
      has(.inaccessible, $0)
    }
  }

  @Test func `publishing writes only what differs, whatever is there`() throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    var manifest = Self.manifest(directory)
    #expect { try manifest.publish(in: directory, using: scratch.files) } throws: {
      has(.absent, $0)
    }
    #expect(try PeerManifest.read(of: alice, in: directory, using: scratch.files) == nil)
    #expect(try scratch.names() == [])

    try scratch.files.makeDirectories(directory.peer(alice))
    #expect(try manifest.publish(in: directory, using: scratch.files))
    #expect(try PeerManifest.read(of: alice, in: directory, using: scratch.files) == manifest)
    let before = try scratch.files.status(directory.manifest(of: alice))
    #expect(try !manifest.publish(in: directory, using: scratch.files))
    #expect(try scratch.files.status(directory.manifest(of: alice)) == before)

    manifest.sequence = .init(18)
    #expect(try manifest.publish(in: directory, using: scratch.files))
    #expect(try PeerManifest.read(of: alice, in: directory, using: scratch.files) == manifest)

    let path = directory.manifest(of: alice)
    unlink(path)
    symlink("/etc/passwd", path)
    #expect(try manifest.publish(in: directory, using: scratch.files))
    #expect(try PeerManifest.read(of: alice, in: directory, using: scratch.files) == manifest)
    #expect(try scratch.files.list(directory.peer(alice)).map(\.name) == ["peer.json"])
  }

  @Test(arguments: [EIO, ENOSPC, EROFS, ESTALE])
  func `whatever fails, a reader sees the old or the new manifest`(code: Int32) throws {
    let scratch = try Scratch()
    let directory = try scratch.contentDirectory()
    try scratch.files.makeDirectories(directory.peer(alice))
    let old = Self.manifest(directory)
    var new = old
    new.sequence = .init(99)
    var failures = 0
    while true {
      try old.publish(in: directory, using: scratch.files)
      let files = FailingFileSystem(at: failures + 1, code: code)
      do throws(ContainerError) {
        try new.publish(in: directory, using: files)
      } catch {
        #expect(error.underlying is FileError)
      }
      let seen = try PeerManifest.read(of: alice, in: directory, using: scratch.files)
      #expect(seen == old || seen == new)
      #expect(try scratch.files.list(directory.peer(alice)).map(\.name) == ["peer.json"])
      if !files.hasFailed { break }
      failures += 1
      try new.publish(in: directory, using: scratch.files)
      #expect(try PeerManifest.read(of: alice, in: directory, using: scratch.files) == new)
    }
    #expect(failures >= 6)
  }
}
