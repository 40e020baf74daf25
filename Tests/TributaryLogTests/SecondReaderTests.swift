import Foundation
import Testing
import TributaryCore
import TributaryFuzzing
import TributaryLog
import TributaryTesting

/// The reader in Python, made from the page of the format alone, and the command on the same logs.
struct SecondReaderTests {
  /// In one run; more with `TRIBUTARY_SOAK_HISTORIES`.
  static let segments: UInt64 = 100

  @Test func `both print the same of any log that a writer can make`() throws {
    for seeds in Soak.seeds(part: 0, otherwise: Self.segments) {
      try withTemporaryDirectory { directory in
        for seed in seeds {
          let model = SegmentModel(
            seed: seed, transactionCount: 1 + Int(seed % 40), changesUpTo: Self.changes(seed))
          let (bytes, summary) = try model.written(level: seed % 2 == 0 ? 0 : 9)
          let numbers = [model.header.first.rawValue, model.header.last.rawValue]
          let name = (numbers + [summary.contentHash]).map(\.lowerHex).joined(separator: "-")
          try Data(bytes).write(to: URL(filePath: "\(directory)/\(name).lz4"))
        }
        let end = try run("show", in: directory)
        #expect(end.status == 0, "seeds \(seeds): \(end.output)")
      }
    }
  }

  /// The more transactions, the fewer changes in each: numbers of both kinds, and no more bytes than that takes.
  private static func changes(_ seed: UInt64) -> Int {
    max(1, Int(seed % 60) / (1 + Int(seed % 40) / 4))
  }

  @Test func `both refuse the same damaged files`() throws {
    try withTemporaryDirectory { directory in
      var random = SeededGenerator(seed: 7)
      let (bytes, _) = try SegmentModel(seed: 3, transactionCount: 6, changesUpTo: 8).written()
      // Under names that say nothing of what is in them.
      for number in 0..<Self.segments {
        var damaged = bytes
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch number % 4 {
        case 0: damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 1: damaged.removeLast(bytes.count - place)
        case 2: damaged.remove(at: place)
        default: damaged.insert(damaged[place], at: place)
        }
        try Data(damaged).write(to: URL(filePath: "\(directory)/\(number).lz4"))
      }
      let end = try run("refuse", in: directory)
      #expect(end.status == 0, "\(end.output)")
    }
  }

  /// `$0` is the reader, `$1` the command, `$2` what to do with the files of the present directory.
  private static let script = #"""
    reader=$0 command=$1
    if [ $2 = show ]; then
      "$reader" *.lz4 > ../reader || exit 1
      "$command" log show --json *.lz4 > ../command || exit 2
      cmp ../reader ../command || { diff ../reader ../command | cut -c1-2000 | head; exit 3; }
      [ -s ../reader ] || { echo nothing was printed; exit 4; }
      exit
    fi
    # Starting it takes longer than reading many files, each of which it reads alone.
    "$reader" *.lz4 > /dev/null 2> ../refused
    case $? in 0 | 3) ;; *) cat ../refused; exit 1 ;; esac
    for file in *.lz4; do
      ours=0
      grep -qF "readlog: $file: " ../refused && ours=3
      "$command" log show --json $file > /dev/null 2> ../said; theirs=$?
      [ $ours = $theirs ] || { echo "$file: $ours and $theirs"; cat ../refused ../said; exit 1; }
    done
    """#

  private func run(_ task: String, in directory: String) throws -> (status: Int32, output: String) {
    let reader = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "tools/readlog.py")
    let process = Process()
    let output = Pipe()
    let work = directory + "/work"
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
    for name in try FileManager.default.contentsOfDirectory(atPath: directory)
    where name.hasSuffix(".lz4") {
      try FileManager.default.moveItem(atPath: "\(directory)/\(name)", toPath: "\(work)/\(name)")
    }
    process.currentDirectoryURL = URL(filePath: work)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "bash", "-c", Self.script, reader.path, try BuiltExecutable.path("tributary"), task,
    ]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
