import Glibc
import Testing
import TributaryFiles
import TributaryTesting

struct TemporaryFileTests {
  let files = LocalFileSystem()

  @Test func `nothing shows before publishing, and the whole file afterwards`() throws {
    let scratch = try Scratch()
    let file = try files.makeTemporary(in: scratch.path)
    try file.write("one ")
    try file.write("two")
    let names = try scratch.names()
    #expect(names.count == 1)
    #expect(names.allSatisfy { TemporaryName.matches($0) && $0.utf8.count == 21 })
    try file.publish(as: "final")
    #expect(try scratch.names() == ["final"])
    #expect(try scratch.text(of: "final") == "one two")
    file.discard()
    #expect(throws: FileError.self) { try file.write("more") }
    #expect(throws: FileError.self) { try file.publish(as: "again") }
    #expect(try scratch.names() == ["final"])
  }

  @Test func `publishing replaces a file of the name`() throws {
    let scratch = try Scratch()
    scratch.write("a longer text of old", to: "peer.json")
    let file = try files.makeTemporary(in: scratch.path)
    try file.write("new")
    try file.publish(as: "peer.json")
    #expect(try scratch.names() == ["peer.json"])
    #expect(try scratch.text(of: "peer.json") == "new")
  }

  @Test func `discarding or forgetting a file leaves nothing`() throws {
    let scratch = try Scratch()
    let file = try files.makeTemporary(in: scratch.path)
    try file.write("x")
    file.discard()
    file.discard()
    _ = try files.makeTemporary(in: scratch.path)
    #expect(try scratch.names() == [])
  }

  @Test(arguments: ["", "a/b", "a\0b", "/etc/x"])
  func `a name that is not one component is refused, and nothing stays`(name: String) throws {
    let scratch = try Scratch()
    let file = try files.makeTemporary(in: scratch.path)
    #expect { try file.publish(as: name) } throws: { ($0 as? FileError)?.code == EINVAL }
    #expect(try scratch.names() == [])
  }

  @Test func `a name that a directory has cannot be published, and nothing stays`() throws {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["taken"])
    let file = try files.makeTemporary(in: scratch.path)
    #expect { try file.publish(as: "taken") } throws: {
      $0 as? FileError == FileError(operation: "rename", path: scratch["taken"], code: EISDIR)
    }
    #expect(try scratch.names() == ["taken"])
  }

  @Test func `a file follows its directory, not the path`() throws {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["a"])
    let file = try files.makeTemporary(in: scratch["a"])
    try files.rename(scratch["a"], to: scratch["b"])
    try files.makeDirectories(scratch["a"])
    try file.publish(as: "x")
    #expect(try scratch.names(in: "a") == [])
    #expect(try scratch.names(in: "b") == ["x"])
  }

  @Test func `a missing directory is told, not made`() throws {
    let scratch = try Scratch()
    #expect { _ = try files.makeTemporary(in: scratch["none"]) } throws: {
      ($0 as? FileError)?.isMissing == true
    }
    #expect(try scratch.names() == [])
  }

  @Test func `only old temporaries are removed, and nothing else`() throws {
    struct Later: WallClock {
      let offset: Int64
      func milliseconds() -> UInt64 { UInt64(Int64(SystemClock().milliseconds()) + offset) }
    }
    let scratch = try Scratch()
    let names = [".tmp-", ".tmp-0123", "tmp-1", ".TMP-2", ".tm", "x.lz4"]
    for name in names { scratch.write("x", to: name) }
    try files.makeDirectories(scratch[".tmp-directory"])
    #expect(try files.removeStaleTemporaries(in: scratch.path) == 0)
    #expect(
      try files.removeStaleTemporaries(in: scratch.path, clock: Later(offset: 3_500_000)) == 0)
    // A clock set back makes nothing stale.
    #expect(
      try files.removeStaleTemporaries(in: scratch.path, clock: Later(offset: -9_000_000)) == 0)
    #expect(
      try files.removeStaleTemporaries(in: scratch.path, clock: Later(offset: 3_700_000)) == 2)
    #expect(try scratch.names() == [".TMP-2", ".tm", ".tmp-directory", "tmp-1", "x.lz4"])
  }
}
