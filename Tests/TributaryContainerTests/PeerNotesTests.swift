import Glibc
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryTesting

/// The form in which a store keeps what a session has found out about many peers.
struct PeerNotesTests {
  private let directory: ContentDirectory

  init() throws { directory = ContentDirectory(container: "/c", name: try ContentName("Bücher")) }

  private static func status(_ random: inout SplitMix) -> FileStatus {
    FileStatus(
      size: .random(in: 0...5000, using: &random), kind: .file,
      identity: FileIdentity(device: random.next(), inode: random.next()),
      modifiedNanoseconds: Int64(bitPattern: random.next()),
      changedNanoseconds: Int64(bitPattern: random.next()))
  }

  /// A manifest in which each member may be absent, short or long.
  private func manifest(_ random: inout SplitMix) -> PeerManifest {
    func sequence() -> SequenceNumber {
      SequenceNumber(random.next() >> UInt64.random(in: 1...63, using: &random))
    }
    var manifest = PeerManifestTests.manifest(directory)
    manifest.peer = .random(using: &random)
    manifest.name = String("ü\0\"x".prefix(.random(in: 0...4, using: &random)))
    manifest.sequence = sequence()
    let peers = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      PeerIdentity.random(using: &random)
    }
    manifest.receipt = Knowledge(
      peers.map { .init(peer: $0, sequence: max(sequence(), SequenceNumber(1))) })
    manifest.times = [:]
    for peer in peers where Bool.random(using: &random) {
      manifest.times[peer] = HybridTime(rawValue: random.next())
    }
    if Bool.random(using: &random) {
      manifest.horizon = PeerManifestTests.horizon()
      manifest.horizon?.made = sequence()
      manifest.horizon?.day = .random(in: 0...30_000, using: &random)
    }
    if Bool.random(using: &random) { manifest.receiptHorizon = random.next() }
    for table in ["z", "a", "ä"].prefix(.random(in: 0...3, using: &random)) {
      manifest.schema.spent[table] = Int64(bitPattern: random.next())
    }
    if Bool.random(using: &random) {
      manifest.schema.changed = .random(in: 0...1 << 40, using: &random)
    }
    return manifest
  }

  private static func names(upTo count: Int, _ random: inout SplitMix) -> [SegmentName] {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in
      let first = UInt64.random(in: 1...1 << 60, using: &random)
      return SegmentName(
        first: SequenceNumber(first),
        last: SequenceNumber(first + .random(in: 0...1 << 20, using: &random)), hash: random.next())
    }
  }

  private func listed(_ peer: PeerIdentity, _ random: inout SplitMix) -> PeerNotes.Listed {
    var listing = PeerListing(peer: peer)
    listing.hasManifest = .random(using: &random)
    listing.hasBaselines = .random(using: &random)
    listing.segments = Self.names(upTo: 5, &random).sorted().map {
      SegmentFile(name: $0, directory: directory.log(of: peer))
    }
    func stamp() -> DirectoryStamp {
      DirectoryStamp(
        identity: FileIdentity(device: random.next(), inode: random.next()),
        changedNanoseconds: Int64(bitPattern: random.next()))
    }
    return .init(directory: stamp(), log: stamp(), listing: listing)
  }

  private func collection(of count: Int, _ random: inout SplitMix) -> PeerNotes {
    var kept = PeerNotes(subject: Bool.random(using: &random) ? bob : nil)
    for _ in 0..<count {
      let manifest = manifest(&random)
      var entry = PeerNotes.Entry(manifest.peer)
      if Bool.random(using: &random) { entry.listed = listed(manifest.peer, &random) }
      if Bool.random(using: &random) {
        entry.read = .init(status: Self.status(&random), manifest: manifest)
      }
      entry.ends = Self.names(upTo: 4, &random).map {
        .init(
          name: $0, first: HybridTime(rawValue: random.next()),
          last: HybridTime(rawValue: random.next()))
      }
      kept.entries.append(entry)
    }
    kept.entries.sort { $0.peer < $1.peer }
    return kept
  }

  @Test func `notes are read as they were written`() {
    for seed in 0..<100 {
      var random = SplitMix(state: UInt64(seed))
      let kept = collection(of: seed % 20, &random)
      #expect(PeerNotes(reading: kept.bytes, in: directory) == kept, "seed \(seed)")
    }
  }

  @Test func `whatever else a manifest says is noted too`() {
    var manifest = PeerManifestTests.manifest(directory)
    manifest.formats = .current
    manifest.adopted = [
      bob: ManifestAdoption(
        former: alice, range: ManifestFormer(last: .init(3), reissued: .init(4)))
    ]
    manifest.reissued = [bob: .init(7)]
    manifest.schema.copied = ["t": ManifestCopy(columns: ["a"], rows: [])]
    manifest.schema.userVersion = -3
    manifest.schema.foreignKeys = "keep"
    var random = SplitMix(state: 5)
    let read = PeerNotes.Read(status: Self.status(&random), manifest: manifest)
    let kept = PeerNotes(entries: [.init(manifest.peer, read: read)])
    #expect(PeerNotes(reading: kept.bytes, in: directory) == kept)
  }

  @Test func `manifests that have their form in common take little room`() {
    var random = SplitMix(state: 6)
    var manifest = PeerManifestTests.manifest(directory)
    manifest.schema.sql = [String(repeating: "CREATE TABLE t (a); ", count: 100)]
    var kept = PeerNotes()
    for number in 1...1000 {
      manifest.peer = PeerIdentity(high: UInt64(number), low: 1)
      manifest.name = "device \(number)"
      manifest.sequence = SequenceNumber(UInt64(number))
      manifest.schema.spent = ["t": Int64(number)]
      kept.entries.append(
        .init(
          manifest.peer, read: .init(status: Self.status(&random), manifest: manifest)))
    }
    let whole = kept.entries.compactMap(\.read?.manifest.bytes.count).reduce(0, +)
    #expect(kept.bytes.count * 10 < whole)
    #expect(PeerNotes(reading: kept.bytes, in: directory) == kept)
  }

  @Test func `of many forms, only the first are kept`() {
    var random = SplitMix(state: 7)
    var manifest = PeerManifestTests.manifest(directory)
    var kept = PeerNotes()
    for number in 1...100 {
      manifest.peer = PeerIdentity(high: UInt64(number), low: 1)
      manifest.schema.id = "\(number % 80)"
      kept.entries.append(
        .init(
          manifest.peer, read: .init(status: Self.status(&random), manifest: manifest)))
    }
    let read = PeerNotes(reading: kept.bytes, in: directory)?.entries.filter {
      $0.read != nil
    }
    #expect(read == kept.entries.filter { (1...64).contains($0.peer.high % 80) })
  }

  @Test func `what is unusual is left out`() {
    var random = SplitMix(state: 8)
    let changes: [(inout PeerNotes.Entry) -> Void] = [
      { $0.read?.status.kind = .directory },
      { $0.listed?.listing.misnamed = ["x.lz4"] },
      { $0.listed?.listing.ignored = [IgnoredFile(path: "x", reason: .wrongKind)] },
      { $0.listed?.listing.failure = FileError(operation: "opendir", path: "x", code: EIO) },
      { entry in
        let file = SegmentFile(
          name: SegmentName(first: .init(1), last: .init(1), hash: 1), directory: "x")
        entry.listed?.listing.segments = Array(repeating: file, count: PeerNotes.mostSegments + 1)
      },
    ]
    for (index, change) in changes.enumerated() {
      let manifest = manifest(&random)
      let whole = PeerNotes.Entry(
        manifest.peer, listed: listed(manifest.peer, &random),
        read: .init(status: Self.status(&random), manifest: manifest))
      var entry = whole
      change(&entry)
      let read = PeerNotes(
        reading: PeerNotes(entries: [entry]).bytes, in: directory)
      let expected = PeerNotes.Entry(
        manifest.peer, listed: index == 0 ? whole.listed : nil, read: index == 0 ? nil : whole.read)
      #expect(read?.entries == [expected], "change \(index)")
    }
  }

  @Test func `peers out of order are refused`() {
    var random = SplitMix(state: 9)
    var kept = collection(of: 30, &random)
    #expect(PeerNotes(reading: kept.bytes, in: directory) == kept)
    kept.entries.swapAt(3, 4)
    #expect(PeerNotes(reading: kept.bytes, in: directory) == nil)
  }

  @Test func `bytes of anything else are refused`() throws {
    var random = SplitMix(state: 10)
    let bytes = collection(of: 3, &random).bytes
    for count in bytes.indices {
      #expect(PeerNotes(reading: Array(bytes[..<count]), in: directory) == nil)
    }
    #expect(PeerNotes(reading: bytes + [0], in: directory) == nil)
    #expect(PeerNotes(reading: [1] + bytes.dropFirst(), in: directory) == nil)
    let other = ContentDirectory(container: "/c", name: try ContentName("other"))
    #expect(PeerNotes(reading: bytes, in: other) == nil)
  }

  @Test func `no change of a byte is a crash`() {
    var random = SplitMix(state: 11)
    let bytes = collection(of: 3, &random).bytes
    var refused = 0
    for _ in 0..<2000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        changed[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      if PeerNotes(reading: changed, in: directory) == nil { refused += 1 }
    }
    #expect(refused > 0)
  }
}
