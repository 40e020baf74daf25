import Glibc
import Testing
import TributaryFiles
import TributaryTesting

struct LocalFileSystemTests {
  let files = LocalFileSystem()

  @Test func `directories are made with all above them, and again without harm`() throws {
    let scratch = try Scratch()
    let deep = scratch["a b/ç/ 日本/d"]
    try files.makeDirectories(deep)
    try files.makeDirectories(deep)
    #expect(try files.status(deep)?.kind == .directory)
    scratch.write("", to: "file")
    #expect(throws: FileError(operation: "mkdir", path: scratch["file"], code: EEXIST)) {
      try files.makeDirectories(scratch["file"])
    }
    #expect { try files.makeDirectories(scratch["file/below"]) } throws: {
      ($0 as? FileError)?.isMissing == true
    }
  }

  @Test func `of two that make a new directory, one is refused`() throws {
    let scratch = try Scratch()
    try files.makeNewDirectory(scratch["d"])
    scratch.write("", to: "file")
    for name in ["d", "file"] {
      #expect(throws: FileError(operation: "mkdir", path: scratch[name], code: EEXIST)) {
        try files.makeNewDirectory(scratch[name])
      }
    }
    #expect { try files.makeNewDirectory(scratch["missing/d"]) } throws: {
      ($0 as? FileError)?.isMissing == true
    }
  }

  @Test func `entries whose names are not in UTF-8 are removed with all in them, and no others`()
    throws
  {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["d/plain"])
    scratch.write("", to: "d/kept")
    func bytes(_ path: String, _ ending: [UInt8]) -> [CChar] {
      (Array(scratch[path].utf8) + ending + [0]).map { CChar(bitPattern: $0) }
    }
    close(open(bytes("d/file", [0xff]), O_CREAT | O_WRONLY, 0o600))
    symlink(scratch["d/plain"], bytes("d/link", [0xff]))
    mkdir(bytes("d/directory", [0xff]), 0o700)
    mkdir(bytes("d/directory", [0xff, 0x2f, 0xfe]), 0o700)
    close(open(bytes("d/directory", [0xff, 0x2f, 0xfe, 0x2f, 0x61]), O_CREAT | O_WRONLY, 0o600))
    #expect(try files.list(scratch["d"]).count == 5)
    try files.removeInexactEntries(of: scratch["d"])
    #expect(try Set(files.list(scratch["d"]).map(\.name)) == ["plain", "kept"])
  }

  @Test func `status tells size, kind, identity and time`() throws {
    let scratch = try Scratch()
    scratch.write("12345", to: "a")
    link(scratch["a"], scratch["b"])
    symlink(scratch["a"], scratch["c"])
    let status = try #require(try files.status(scratch["a"]))
    #expect(status.size == 5)
    #expect(status.kind == .file)
    let now = SystemClock().milliseconds()
    #expect(
      status.modifiedMilliseconds > now - 60_000 && status.modifiedMilliseconds < now + 60_000)
    #expect(try files.status(scratch["b"]) == status)
    #expect(try files.status(scratch["c"]) == status)
    #expect(try files.status(scratch["d"]) == nil)
    #expect(try files.status(scratch["a/d"]) == nil)
    #expect(try files.status("/dev/null")?.kind == .other)
  }

  @Test func `the status of many paths is that of each`() throws {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["d/e"])
    for name in ["d/1", "d/12", "d/e/1"] { scratch.write(name, to: name) }
    symlink(scratch["d/e"], scratch["d/l"])
    let names = [
      "d/1", "d/12", "d/e/1", "d/l", "d/l/1", "d/e", "d/2", "d/1/2", "d/e/../1", "d//1", "d/",
    ]
    let paths = names.map { scratch[$0] }
    for paths in [
      paths, Array(paths.reversed()), Array(paths[..<2]), [paths[0]], [paths[0], paths[0]], [],
      // They have nothing in common, or a directory that is not there, or a file.
      paths + ["/dev/null"], [scratch["x/1"], scratch["x/2"]],
      [scratch["d/1/2"], scratch["d/1/3"]],
      [scratch["d"], scratch["d/e"]], ["relative/1", "relative/2"],
    ] {
      // The file system asks for many paths from the directory that they have in common.
      for paths in [paths, (0..<32).flatMap { _ in paths }] {
        #expect(try files.statuses(paths) == paths.map { try files.status($0) })
      }
    }
    let wrong = "\(paths[1])\0"
    #expect(throws: FileError(operation: "stat", path: wrong, code: EINVAL)) {
      try files.statuses((0..<32).map { _ in paths[0] } + [wrong])
    }
  }

  @Test func `only a directory has a stamp, and it stays as long as nothing changes`() throws {
    let scratch = try Scratch()
    scratch.write("", to: "file")
    let paths = ["/", scratch["none"], scratch["file"], "/"]
    let stamps = try files.stamps(paths)
    #expect(stamps.count == paths.count)
    #expect(stamps[1] == nil && stamps[2] == nil)
    #expect(stamps[0] == stamps[3])
    let root = try #require(try files.status("/"))
    #expect(stamps[0].map { $0.identity == root.identity } ?? true)
    #expect(try files.stamps([]) == [])
  }

  @Test func `a listing tells every name, decodable or not`() throws {
    let scratch = try Scratch()
    scratch.write("", to: ".hidden")
    scratch.write("", to: "a b – ü")
    try files.makeDirectories(scratch["directory"])
    symlink("nowhere", scratch["link"])
    mkfifo(scratch["pipe"], 0o600)
    let odd: [CChar] = Array(scratch["x"].utf8CString.dropLast()) + [-1, 0]
    close(open(odd, O_CREAT | O_WRONLY, 0o600))
    let entries = Set(try files.list(scratch.path))
    #expect(
      entries == [
        DirectoryEntry(name: ".hidden", kind: .file),
        DirectoryEntry(name: "a b – ü", kind: .file),
        DirectoryEntry(name: "directory", kind: .directory),
        DirectoryEntry(name: "link", kind: .symbolicLink),
        DirectoryEntry(name: "pipe", kind: .other),
        DirectoryEntry(name: "x\u{FFFD}", isExact: false, kind: .file),
      ])
    unlink(odd)
    #expect { try files.list(scratch["missing"]) } throws: { ($0 as? FileError)?.isMissing == true }
  }

  @Test func `only regular files are opened, and nothing waits`() throws {
    let scratch = try Scratch()
    scratch.write("x", to: "file")
    symlink(scratch["file"], scratch["link"])
    mkfifo(scratch["pipe"], 0o600)
    for (name, code) in [("link", ELOOP), ("pipe", EINVAL), (".", EISDIR), ("missing", ENOENT)] {
      #expect(throws: FileError(operation: "open", path: scratch[name], code: code)) {
        _ = try files.open(scratch[name])
      }
    }
    #expect(throws: FileError(operation: "open", path: "/dev/zero", code: EINVAL)) {
      try files.read("/dev/zero", limit: 10)
    }
  }

  @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 3_000_000])
  func `a file is read whole up to the limit, and refused beyond`(count: Int) throws {
    let scratch = try Scratch()
    let text = String(repeating: "x", count: count)
    scratch.write(text, to: "a")
    #expect(try files.read(scratch["a"], limit: count) == Array(text.utf8))
    #expect(try files.read(scratch["a"], limit: count + 1) == Array(text.utf8))
    if count > 0 {
      #expect(throws: FileError(operation: "read", path: scratch["a"], code: EFBIG)) {
        try files.read(scratch["a"], limit: count - 1)
      }
    }
  }

  @Test func `reading after closing is an error`() throws {
    let scratch = try Scratch()
    scratch.write("x", to: "a")
    let file = try files.open(scratch["a"])
    file.close()
    var byte: UInt8 = 0
    #expect(throws: FileError(operation: "read", path: scratch["a"], code: EBADF)) {
      try withUnsafeMutableBytes(of: &byte) { try file.read(into: $0) }
    }
  }

  @Test func `removing a file, an empty directory or nothing succeeds`() throws {
    let scratch = try Scratch()
    scratch.write("x", to: "a")
    try files.makeDirectories(scratch["d/e"])
    try files.remove(scratch["a"])
    try files.remove(scratch["a"])
    #expect(throws: FileError(operation: "rmdir", path: scratch["d"], code: ENOTEMPTY)) {
      try files.remove(scratch["d"])
    }
    try files.remove(scratch["d/e"])
    try files.remove(scratch["d"])
    #expect(try scratch.names() == [])
  }

  @Test func `renaming replaces`() throws {
    let scratch = try Scratch()
    scratch.write("new", to: "a")
    scratch.write("old", to: "b")
    try files.rename(scratch["a"], to: scratch["b"])
    #expect(try scratch.names() == ["b"])
    #expect(try scratch.text(of: "b") == "new")
    #expect(throws: FileError(operation: "rename", path: scratch["a"], code: ENOENT)) {
      try files.rename(scratch["a"], to: scratch["c"])
    }
  }

  @Test func `files and directories are synchronised, and missing ones are told`() throws {
    let scratch = try Scratch()
    scratch.write("x", to: "a-wal")
    try files.synchronize(scratch["a-wal"])
    try files.synchronizeDirectory(scratch.path)
    #expect { try files.synchronize(scratch["b-wal"]) } throws: {
      ($0 as? FileError)?.isMissing == true
    }
    #expect { try files.synchronizeDirectory(scratch["a-wal"]) } throws: {
      ($0 as? FileError)?.isMissing == true
    }
  }

  @Test func `resolving follows links`() throws {
    let scratch = try Scratch()
    try files.makeDirectories(scratch["d"])
    symlink("d", scratch["link"])
    let base = try #require(try files.resolve(scratch.path))
    #expect(try files.resolve(scratch["link/../link"]) == base + "/d")
    #expect(try files.resolve(scratch["link/none"]) == nil)
  }
}
