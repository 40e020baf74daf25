import Glibc
import Synchronization
import Testing
import TributaryFiles
import TributaryTesting

struct BoundedFileSystemTests {
  private static let limit = Duration.milliseconds(200)

  @Test func `what a file system does within the limit is done, on another thread`() throws {
    let scratch = try Scratch()
    let files = BoundedFileSystem(
      LocalFileSystem(), executor: BoundedExecutor(limit: .seconds(60)))
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try files.makeDirectories(scratch["d/e"])
    let file = try files.makeTemporary(in: scratch["d"])
    // In parts that end anywhere, as compressors give them.
    for start in stride(from: 0, to: bytes.count, by: 99_991) {
      try bytes[start..<min(start + 99_991, bytes.count)].withUnsafeBytes { (part) throws in
        try file.write(part)
      }
    }
    try file.publish(as: "f")
    #expect(throws: FileError.self) { try file.publish(as: "g") }
    try files.makeTemporary(in: scratch["d"]).discard()
    _ = try files.makeTemporary(in: scratch["d"])
    #expect(try files.list(scratch["d"]).map(\.name).sorted() == ["e", "f"])
    #expect(try files.read(scratch["d/f"], limit: 1 << 20) == bytes)
    #expect(try files.status(scratch["d/f"])?.size == UInt64(bytes.count))
    let opened = try files.open(scratch["d/f"])
    var read: [UInt8] = []
    try withUnsafeTemporaryAllocation(byteCount: 65_537, alignment: 1) { buffer in
      while case let count = try opened.read(into: buffer), count > 0 { read += buffer[..<count] }
    }
    #expect(read == bytes)
    opened.close()
    #expect(throws: FileError.self) {
      try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try opened.read(into: $0) }
    }
    try files.rename(scratch["d/f"], to: scratch["d/h"])
    try files.remove(scratch["d/h"])
    try files.synchronizeDirectory(scratch["d"])
    #expect(try files.resolve(scratch["d/h"]) == nil)
    let missing = #expect(throws: FileError.self) { try files.list(scratch["nowhere"]) }
    #expect(missing?.isMissing == true)
    let own = pthread_self()
    #expect(try files.executor.run("x", on: "x") { pthread_equal(own, pthread_self()) } == 0)
  }

  @Test func `what hangs is given up, the rest fails at once until it returns`() throws {
    let scratch = try Scratch()
    let hanging = HangingFileSystem(at: 1, inPathsWith: scratch.path)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: Self.limit))
    let start = ContinuousClock.now
    let error = #expect(throws: FileError.self) { try files.list(scratch.path) }
    #expect(error?.isUnresponsive == true && error?.isTransient == true)
    #expect(error?.path == scratch.path && error?.operation == "readdir")
    #expect(ContinuousClock.now - start >= Self.limit)
    #expect(files.executor.isStuck)
    let again = ContinuousClock.now
    for _ in 0..<100 { #expect(throws: FileError.self) { try files.status(scratch.path) } }
    #expect(ContinuousClock.now - again < Self.limit)
    #expect(hanging.count == 1)
    hanging.release()
    while files.executor.isStuck { usleep(1000) }
    #expect(try files.list(scratch.path).isEmpty)
  }

  @Test func `who waits behind what hangs is told at once, too`() throws {
    let scratch = try Scratch()
    let hanging = HangingFileSystem(at: 1, inPathsWith: scratch.path)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: .milliseconds(500)))
    let first = try WorkerThread(name: "first") { [path = scratch.path] in _ = try? files.list(path)
    }
    while !hanging.isHanging { usleep(1000) }
    #expect(throws: FileError.self) { try files.list(scratch.path) }
    #expect(files.executor.isStuck)
    first.join()
    hanging.release()
  }

  @Test func `what is given up writes into nobody's memory`() throws {
    let scratch = try Scratch()
    // More than is read when it is opened.
    scratch.write(String(repeating: "late", count: 10_000), to: "f")
    let hanging = HangingFileSystem(at: 3, inPathsWith: scratch.path)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: Self.limit))
    let file = try files.open(scratch["f"])
    try withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      let count = try file.read(into: buffer)
      #expect(count == buffer.count)
      buffer.initializeMemory(as: UInt8.self, repeating: 7)
      #expect(throws: FileError.self) { try file.read(into: buffer) }
      hanging.release()
      while files.executor.isStuck { usleep(1000) }
      #expect(buffer.allSatisfy { $0 == 7 })
    }
  }

  @Test func `a file is the same in parts of any size`() throws {
    let scratch = try Scratch()
    let files = BoundedFileSystem(
      LocalFileSystem(), executor: BoundedExecutor(limit: .seconds(60)))
    for count in [0, 1, 16_383, 16_384, 16_385, 40_000] {
      let text = (0..<count).map { "\($0 % 10)" }.joined()
      scratch.write(text, to: "f")
      for size in [1, 5, 16_384, 100_000] {
        let file = try files.open(scratch["f"])
        var read: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
          while case let count = try file.read(into: buffer), count > 0 { read += buffer[..<count] }
        }
        #expect(read == Array(text.utf8), "\(count) bytes in parts of \(size)")
      }
    }
  }

  @Test func `a beginning that cannot be read in time is given up with opening the file`() throws {
    let scratch = try Scratch()
    scratch.write("late", to: "f")
    let hanging = HangingFileSystem(at: 2, inPathsWith: scratch.path)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: Self.limit))
    let error = #expect(throws: FileError.self) { try files.open(scratch["f"]) }
    #expect(error?.isUnresponsive == true && error?.path == scratch["f"])
    hanging.release()
  }

  @Test func `a file that was given up while it was made is removed when it is there`() throws {
    let scratch = try Scratch()
    let hanging = HangingFileSystem(at: 1, inPathsWith: scratch.path)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: Self.limit))
    #expect(throws: FileError.self) { _ = try files.makeTemporary(in: scratch.path) }
    hanging.release()
    while files.executor.isStuck { usleep(1000) }
    #expect(try files.list(scratch.path).isEmpty)
  }

  @Test func `nobody waits for what hangs when the end has come`() throws {
    let scratch = try Scratch()
    let hanging = HangingFileSystem(at: 1, inPathsWith: scratch.path)
    let start = ContinuousClock.now
    do {
      let executor = BoundedExecutor(limit: .seconds(600))
      let files = BoundedFileSystem(hanging, executor: executor)
      let thread = try WorkerThread(name: "waits") { [path = scratch.path] in
        _ = try? files.list(path)
      }
      while !hanging.isHanging { usleep(1000) }
      executor.finish(within: .milliseconds(10))
      thread.join()
      #expect(executor.isStuck)
    }
    #expect(ContinuousClock.now - start < .seconds(60))
    hanging.release()
  }

  @Test func `threads that ask at the same time all get their own answers`() throws {
    let executor = BoundedExecutor(limit: .seconds(60))
    let wrong = Mutex(0)
    let threads = try (0..<8).map { number in
      try WorkerThread(name: "asks") {
        for turn in 0..<500 {
          let answer = try? executor.run("x", on: "x") { number * 1000 + turn }
          if answer != number * 1000 + turn { wrong.withLock { $0 += 1 } }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(wrong.withLock { $0 } == 0)
  }
}
