import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryLog
import TributaryStore
import TributarySync
import TributaryTesting

/// The newest format that all active peers say they read is written.
struct FormatVersionTests {
  private static let first = ManifestFormat(major: 1, minor: 0)
  private static let onlyFirst = FormatRange(oldest: first, newest: first)
  private static let oldLog = ReadableFormats(
    log: onlyFirst, baseline: ReadableFormats.current.baseline,
    manifest: ReadableFormats.current.manifest)

  /// The versions of a device's segments, in order.
  private func versions(_ name: String, _ fleet: HorizonFleet) throws -> [String] {
    let directory = try fleet.directory(of: name)
    let segments = SegmentStore(directory, peer: fleet.peer(name), using: LocalFileSystem())
    let listing = ContainerScanner(directory, using: LocalFileSystem()).scan(fleet.peer(name))
    return try listing.segments.map { "\(try segments.header(of: $0.name).version)" }
  }

  /// Has the devices agree on a horizon, and write something above it.
  private func agree(_ fleet: HorizonFleet, _ names: [String]) throws {
    for (number, name) in names.enumerated() {
      try fleet.write("INSERT INTO t VALUES (\(number), '\(name)')", on: name)
    }
    try fleet.meet()
    fleet.pass(days: 1)
    try fleet.meet(rounds: 4)
    for name in names { #expect(try fleet.record(name).state.obeyed != nil) }
  }

  private func change(_ name: String, _ fleet: HorizonFleet, _ value: String) throws {
    try fleet.write("UPDATE t SET v = '\(value)' WHERE id = 0", on: name)
    try fleet.meet()
  }

  @Test func `a device says what its program reads`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a")
      try fleet.meet()
      #expect(try fleet.manifest("a").formats == .current)
    }
  }

  @Test func `a peer that reads segments up to 1.0 keeps all at 1.0 until it has updated`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory)
      fleet.formats["c"] = Self.oldLog
      for name in ["a", "b", "c"] { try fleet.attach(name) }
      try agree(fleet, ["a", "b", "c"])
      try change("a", fleet, "old")
      #expect(try versions("a", fleet).last == "1.0")
      #expect(
        try fleet["a"].diagnose().contains {
          $0.code == .olderFormat && $0.severity == .note && $0.peer == fleet.peer("c")
            && $0.explanation.contains("segments up to version 1.0")
        })
      fleet.formats["c"] = .current
      try fleet.open("c")
      try fleet.meet()
      try change("a", fleet, "new")
      #expect(try versions("a", fleet).last == "1.1")
      #expect(try fleet["a"].diagnose().allSatisfy { $0.code != .olderFormat })
      try fleet.expectEqual()
    }
  }

  @Test func `so does one that joins later, and what it could not read is written again`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory, "a", "b")
      try agree(fleet, ["a", "b"])
      try change("a", fleet, "above")
      #expect(try versions("a", fleet).last == "1.1")
      fleet.formats["c"] = Self.oldLog
      try fleet.attach("c")
      try fleet.meet()
      try change("a", fleet, "whole")
      #expect(try versions("a", fleet).last == "1.0")
      // What was written anew is removed when it has been there for long.
      fleet.pass(days: 3)
      try fleet.meet(rounds: 4)
      #expect(try Set(versions("a", fleet)) == ["1.0"])
      try fleet.expectEqual()
    }
  }

  @Test func `a peer that is retired keeps nobody from the newest format`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory)
      fleet.formats["c"] = Self.oldLog
      for name in ["a", "b", "c"] { try fleet.attach(name) }
      try agree(fleet, ["a", "b", "c"])
      try change("a", fleet, "old")
      #expect(try versions("a", fleet).last == "1.0")
      let gone = fleet.peer("c")
      fleet.drop("c")
      _ = try fleet["a"].retire(gone.description)
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.meet(rounds: 4)
      try change("a", fleet, "new")
      #expect(try versions("a", fleet).last == "1.1")
    }
  }

  @Test func `no horizon is declared while a peer cannot read the baseline`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try HorizonFleet(in: directory)
      fleet.formats["c"] = ReadableFormats(
        log: ReadableFormats.current.log, baseline: Self.onlyFirst, manifest: nil)
      for name in ["a", "b", "c"] { try fleet.attach(name) }
      for name in ["a", "b", "c"] {
        try fleet.write("INSERT INTO t (v) VALUES ('\(name)')", on: name)
      }
      try fleet.meet()
      fleet.pass(days: 2)
      try fleet.meet(rounds: 3)
      for name in ["a", "b"] { #expect(try fleet.record(name).state.obeyed == nil) }
    }
  }
}
