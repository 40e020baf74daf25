import Foundation
import Testing
import TributaryCommand
import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryTesting

/// Files that no honest writer makes, given to the commands that read logs.
struct LogHostileTests {
  private typealias Transaction = LogFixture.Transaction
  private static let commands = ["list", "show", "verify"]
  /// What a terminal or a line would obey.
  private static let hostile = "../\u{1B}[2J\u{7}\u{0}\r\n\u{9B}31m\u{202E}\"'\\\u{7F}"

  private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "TributaryLogTests/Golden").path

  /// Whether nothing in it moves a cursor, or breaks or reorders a line.
  private func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar == "\n"
        || (scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)
          && !(0x2028...0x202E).contains(scalar.value))
    }
  }

  /// Runs each command on a file, as people and as programs do, and holds it to what is true of any.
  private func run(
    _ path: String, allowing statuses: Set<TributaryCommand.ExitStatus> = [.done, .damage]
  ) throws {
    for command in Self.commands {
      let text = Invocation("log", command, path, terminal: true)
      #expect(statuses.contains(text.status), "\(command): \(text.errors)")
      #expect(isPlain(text.output) && isPlain(Self.withoutProgress(text.errors)), "\(command)")
      let json = Invocation("log", command, "--json", path)
      #expect(json.status == text.status)
      let schema = try JSONSchema(named: "log-\(command)")
      for line in json.lines {
        #expect(throws: Never.self, "\(command)") { try schema.check(line) }
      }
      // Each damage is one line that names the file.
      let told =
        json.errors.split(separator: "\n")
        + (command == "verify" ? json.lines[...] : [])
        .map { Substring($0) }
      #expect((json.status == .damage) == !told.isEmpty, "\(command): \(told)")
      for line in told { #expect(line.contains(path), "\(command)") }
    }
  }

  /// Progress erases itself, which is what the rest must not be able to do.
  private static func withoutProgress(_ errors: String) -> String {
    errors.components(separatedBy: "\r\u{1B}[K").filter { $0.hasSuffix("\n") }.joined()
  }

  /// A segment with any bytes as the changes of its only transaction.
  private func segment(
    changes: [UInt8], shape: TableShape = LogFixture.tracks, schema: String = "music",
    content: String = "Library"
  ) throws -> [UInt8] {
    let time = HybridTime(milliseconds: 1_700_000_000_000, counter: 0)
    var writer = try SegmentWriter(
      header: SegmentHeader(
        peer: LogFixture.alice, first: .init(1), last: .init(1), firstTime: time, lastTime: time,
        contentName: content, knowledge: Knowledge()), sink: MemorySink())
    try writer.define(schema: 1, name: schema)
    try writer.define(shape: 1, shape)
    try writer.begin(
      TransactionHeader(sequence: .init(1), time: time, schema: 1, knowledge: Knowledge()))
    try changes.withUnsafeBytes { try writer.append(changes: $0) }
    try writer.end(changeCount: 1)
    return try writer.finishReturningSink().takeSink().bytes
  }

  private func withFile(_ bytes: some Sequence<UInt8>, _ body: (String) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/some.lz4"
      try Data(bytes).write(to: URL(filePath: path))
      try body(path)
    }
  }

  @Test func `every prefix and every changed byte is told of in one line, or makes no difference`()
    throws
  {
    let bytes = try LogFixture(container: "").encode(
      [Transaction(1), Transaction(2)], by: LogFixture.alice)
    for count in stride(from: 0, to: bytes.count, by: 3) {
      try withFile(bytes.prefix(count)) { try run($0) }
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= index % 2 == 0 ? 0xFF : 0x01
      try withFile(changed) { try run($0) }
    }
  }

  @Test func `random bytes are told of, whatever their number`() throws {
    try withSeeds(0..<60) { random in
      var bytes = random.bytes(count: random.number(0...3000))
      // Half of them begin like a segment.
      if random.number(0...1) == 1 {
        let start = try segment(changes: []).prefix(random.number(8...80))
        bytes = start + bytes
      }
      try withFile(bytes) { try run($0, allowing: [.damage]) }
    }
  }

  @Test func `names that a terminal would obey are shown escaped, and whole in JSON`() throws {
    let shape = TableShape(
      table: Self.hostile, columns: [Self.hostile, "b"], keys: [.init(column: 0)])
    var change = ByteBuffer()
    change.appendChangeHead(.insert, shape: 1)
    change.append(Value.string(Self.hostile))
    change.append(Value.blob([0x1B]))
    let bytes = try segment(
      changes: Array(change.bytes), shape: shape, schema: Self.hostile, content: Self.hostile)
    try withFile(bytes) { path in
      try run(path, allowing: [.done])
      let shown = try object(Invocation("log", "show", "--json", path))
      #expect(shown["schema"] as? String == Self.hostile)
      let first = try #require((shown["changes"] as? [[String: Any]])?.first)
      #expect(first["table"] as? String == Self.hostile)
      #expect(first["key"] as? String == Self.hostile)
      let values = try #require(first["values"] as? [String: Any])
      #expect(Set(values.keys) == [Self.hostile, "b"])
      let listed = try object(Invocation("log", "list", "--json", path))
      #expect(listed["content"] as? String == Self.hostile)
      let text = Invocation("log", "show", path, terminal: true)
      #expect(text.output.contains(#"insert ../\x1b[2J\x07\x00\r\n\x9b31m\u{202e}"#))
    }
  }

  private func object(_ run: Invocation) throws -> [String: Any] {
    try #require(run.lines.count == 1)
    let object = try JSONSerialization.jsonObject(with: Data(run.lines[0].utf8))
    return try #require(object as? [String: Any])
  }

  @Test func `file names and names of peers are escaped too`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: LogFixture.alice, name: Self.hostile)
      let path = try logs.write([Transaction(1)])
      // What a file system allows.
      let evil = logs.container + "/\u{1B}]0;x\u{7}\n\u{202E}.lz4"
      try FileManager.default.copyItem(atPath: path, toPath: evil)
      let cut = evil + ".cut"
      try Data(contentsOf: URL(filePath: path)).dropLast(9).write(to: URL(filePath: cut))
      for paths in [[logs.container], [evil], [cut], [evil, cut, path]] {
        for command in Self.commands {
          let text = Invocation(words: ["log", command] + paths, terminal: true)
          #expect(isPlain(text.output) && isPlain(Self.withoutProgress(text.errors)), "\(command)")
          let json = Invocation(words: ["log", command, "--json"] + paths)
          let schema = try JSONSchema(named: "log-\(command)")
          for line in json.lines { try schema.check(line) }
          let damaged = paths.contains(cut) && command != "list"
          #expect(json.status == (damaged ? .damage : .done), "\(command): \(json.errors)")
        }
      }
    }
  }

  @Test func `a content name that leads elsewhere leads nowhere`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1)])
      let directory = URL(filePath: path).deletingLastPathComponent().path
      let bytes = try segment(changes: [6, 1, 8], content: "../../../../etc")
      let hash = bytes.withUnsafeBytes { SegmentHash.hash($0) }
      let name = SegmentName(first: .init(1), last: .init(1), hash: hash).description
      try Data(bytes).write(to: URL(filePath: "\(directory)/\(name)"))
      let run = Invocation("log", "verify", logs.container)
      #expect(run.status == .damage)
      #expect(run.output.contains(#"the content name "#) && run.output.contains("etc"))
      #expect(
        try FileManager.default.subpathsOfDirectory(atPath: logs.container)
          .filter { $0.hasSuffix(".lz4") }.count == 2)
    }
  }

  @Test(
    arguments: [
      [4, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [4, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [5, 1, 8, 11, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [4, 2, 0, 0, 0], [9],
      [7, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [4, 1, 7, 0xFF, 0xF8],
      [4, 1, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
    ] as [[UInt8]])
  func `lengths and counts near 2^63 are told of with file and place`(changes: [UInt8]) throws {
    try withFile(try segment(changes: changes)) { path in
      for command in ["show", "verify"] {
        let run = Invocation("log", command, path)
        #expect(run.status == .damage)
        let told = command == "show" ? run.errors : run.lines[0]
        #expect(told.contains(path) && told.contains(" of the payload; "), "\(told)")
        #expect(command == "verify" || run.output.isEmpty)
      }
      #expect(Invocation("log", "list", path).status == .done)
    }
  }

  @Test func `a bomb is passed by without being held`() throws {
    // 200 MB of inserts of three NULLs in under a megabyte.
    let piece = (0..<200_000).flatMap { _ in [4, 1, 0, 0, 0] as [UInt8] }
    let time = HybridTime(milliseconds: 1_700_000_000_000, counter: 0)
    var writer = try SegmentWriter(
      header: SegmentHeader(
        peer: LogFixture.alice, first: .init(1), last: .init(1), firstTime: time, lastTime: time,
        contentName: "Library", knowledge: Knowledge()), sink: MemorySink())
    try writer.define(schema: 1, name: "music")
    try writer.define(shape: 1, LogFixture.tracks)
    try writer.begin(
      TransactionHeader(sequence: .init(1), time: time, schema: 1, knowledge: Knowledge()))
    for _ in 0..<200 { try piece.withUnsafeBytes { try writer.append(changes: $0) } }
    try writer.end(changeCount: 200 * 200_000)
    let bytes = try writer.finishReturningSink().takeSink().bytes
    #expect(bytes.count < 1 << 20)
    try withFile(bytes) { path in
      let script =
        "import resource, subprocess, sys\n"
        + "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        + "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
      let end = try Shell(
        "exec python3 -c \"$0\" \"$1\" log verify \"$2\"", script, CommandProcess.path, path
      ).finish()
      #expect(end.status == 0, "\(end.output)")
      // In KiB.
      let most = try #require(Int(end.output.split(separator: "\n").last ?? ""))
      #expect(most < 150 << 10)
    }
  }

  @Test func `golden segments are listed, shown and found right`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.golden)
    for name in names where name.hasSuffix(".lz4") {
      try run(Self.golden + "/" + name, allowing: [.done])
    }
  }

  @Test func `a file that names very many peers, over and over, is read in bounded time`() throws {
    let peers = (1...65_536).map { PeerIdentity(high: 0, low: $0) }
    let count: UInt64 = 3000
    func knowledge(at number: UInt64) -> Knowledge {
      Knowledge(
        peers.enumerated().map {
          .init(peer: $1, sequence: SequenceNumber($0 > 0 && $0 < number ? 2 : 1))
        })
    }
    try withLogs { logs in
      var writer = try SegmentWriter(
        header: SegmentHeader(
          peer: LogFixture.alice, first: SequenceNumber(1), last: SequenceNumber(count),
          firstTime: HybridTime(milliseconds: 1, counter: 0),
          lastTime: HybridTime(milliseconds: count, counter: 0), contentName: "Library",
          knowledge: knowledge(at: count)), sink: MemorySink())
      try writer.define(schema: 1, name: "music")
      var known = knowledge(at: 1)
      for number in 1...count {
        if number > 1 { known[peers[Int(number) - 1]] = SequenceNumber(2) }
        try writer.begin(
          TransactionHeader(
            sequence: SequenceNumber(number), time: HybridTime(milliseconds: number, counter: 0),
            schema: 1, knowledge: known))
        try writer.end(changeCount: 0)
      }
      let path = logs.container + "/many.lz4"
      try Data(writer.finishReturningSink().takeSink().bytes).write(to: URL(filePath: path))
      let spent = processorTime {
        let run = Invocation("log", "verify", path, "--json")
        #expect(run.status == .done, "\(run.errors.prefix(500))")
      }
      // One second, and some 12 where each peer was looked up. Without optimisation one takes as long as the other.
      #if !DEBUG
        #expect(spent < .seconds(6), "\(spent)")
      #endif
      print("knowledge of 65,536 peers, 3,000 times, in \(spent) of processor time")
    }
  }
}
