import Foundation
import Glibc
import Testing
import TributaryContainer
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// What is in place of a baseline, or of the directory of baselines, and cannot be read.
struct MisplacedBaselineTests {
  /// What has the name of a baseline.
  enum Thing: CaseIterable {
    case directory
    case pipe
    case link
    /// A whole baseline under the name of another one.
    case copy
  }

  private func make(_ thing: Thing, at path: String, of baseline: String) throws {
    switch thing {
    case .directory:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .link:
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: baseline)
    case .copy: try FileManager.default.copyItem(atPath: baseline, toPath: path)
    }
  }

  /// Makes a file old, for the clock of the fleet, too: it is not arriving any more.
  private func age(_ path: String) {
    let old = timeval(tv_sec: 1, tv_usec: 0)
    #expect(utimes(path, [old, old]) == 0)
  }

  @Test(arguments: Thing.allCases)
  func `a synchronisation names what is in place of a baseline, and what to do`(
    thing: Thing
  ) throws {
    try withHorizonFleet { fleet in
      try fleet.settle(rounds: 4)
      var written: [(store: BaselineStore, name: BaselineName)] = []
      for name in ["a", "b", "c"] {
        let store = try BaselineStore(
          fleet.directory, peer: fleet.peer(name), using: LocalFileSystem())
        written += try store.names().map { (store, $0) }
      }
      let (store, name) = try #require(written.first)
      let other = BaselineName(sequence: name.sequence.next, hash: name.hash)
      let path = store.path(of: other)
      // The store may remove the baseline itself meanwhile.
      let original = fleet.devices.directory + "/original"
      try FileManager.default.copyItem(atPath: store.path(of: name), toPath: original)
      try make(thing, at: path, of: original)
      age(path)
      fleet.pass(days: 1)
      for device in ["a", "b", "c"] {
        let damaged = try fleet[device].synchronize().damaged
        #expect(damaged.map(\.path) == [path])
        let remedy = thing == .copy ? "put it, or its directory, back" : "move it elsewhere"
        #expect(damaged.first?.reason.contains(remedy) == true)
      }
      let findings = try Engine.diagnose(container: fleet.devices.container)
      #expect(findings.contains { $0.path == path && $0.severity != .note })
      try FileManager.default.removeItem(atPath: path)
      for device in ["a", "b", "c"] {
        let damaged = try fleet[device].synchronize().damaged
        #expect(damaged.isEmpty)
      }
      try fleet.expectEqual()
    }
  }

  @Test func `a file in place of a store's own directory of baselines is named until it is moved`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b")
      try fleet.write("INSERT INTO t VALUES (1, 'one')", on: "a")
      try fleet.meet()
      let path = try fleet.directory.baseline(of: fleet.peer("a"))
      // The store may have written one already.
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.removeItem(atPath: path)
      }
      try Data("not a directory".utf8).write(to: URL(filePath: path))
      age(path)
      let error = #expect(throws: ContainerError.self) { try fleet["a"].writeBaseline() }
      #expect(error?.message == "\(path) is not a directory, so nothing can be written there")
      #expect(error?.remedy.hasPrefix("move it elsewhere") == true)
      fleet.pass(days: 1)
      #expect(try fleet["a"].synchronize().damaged.map(\.path) == [path])
      let findings = try Engine.diagnose(container: fleet.devices.container)
        .filter { $0.path == path }
      #expect(findings.map(\.code) == [.unreadable])
      #expect(findings.map(\.severity) == [.warning])
      #expect(findings.first?.remedy.hasPrefix("move it elsewhere") == true)
      try FileManager.default.removeItem(atPath: path)
      #expect(try fleet["a"].synchronize().damaged.isEmpty)
      _ = try fleet["a"].writeBaseline()
    }
  }
}
