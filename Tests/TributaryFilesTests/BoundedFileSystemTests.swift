import Glibc
import Synchronization
import Testing
import TributaryFiles
import TributaryTesting

struct BoundedFileSystemTests {
  /// Has `body` wait for an operation that hangs, and the limit be over as soon as it does.
  private func givingUp<Result>(
    _ hanging: HangingFileSystem, _ executor: BoundedExecutor, _ body: () throws -> Result
  ) throws -> Result {
    let clock = try WorkerThread(name: "limit") {
      // What does not hang fails the test by what it returns.
      try? eventually { hanging.isHanging }
      executor.shorten(to: .zero)
    }
    defer {
      clock.join()
      executor.shorten(to: nil)
    }
    return try body()
  }

  @Test func `what a file system does within the limit is done, on another thread`() throws {
    let scratch = try Scratch()
    let files = BoundedFileSystem(
      LocalFileSystem(), executor: BoundedExecutor(limit: patience))
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
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: patience))
    let error = try givingUp(hanging, files.executor) {
      #expect(throws: FileError.self) { try files.list(scratch.path) }
    }
    #expect(error?.isUnresponsive == true && error?.isTransient == true)
    #expect(error?.path == scratch.path && error?.operation == "readdir")
    #expect(files.executor.isStuck)
    // The limit is long again: one of these that waited would do so for long.
    for _ in 0..<100 { #expect(throws: FileError.self) { try files.status(scratch.path) } }
    #expect(hanging.count == 1)
    hanging.release()
    try eventually { !files.executor.isStuck }
    #expect(try files.list(scratch.path).isEmpty)
  }

  @Test func `what hangs is given up after the limit, not before`() throws {
    let scratch = try Scratch()
    let hanging = HangingFileSystem(at: 1, inPathsWith: scratch.path)
    let limit = Duration.milliseconds(20)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: limit))
    let start = ContinuousClock.now
    #expect(throws: FileError.self) { try files.list(scratch.path) }
    #expect(ContinuousClock.now - start >= limit)
    hanging.release()
  }

  @Test func `who waits behind what hangs is told at once, too`() throws {
    let scratch = try Scratch()
    let hanging = HangingFileSystem(at: 1, inPathsWith: scratch.path)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: patience))
    let first = try WorkerThread(name: "first") { [path = scratch.path] in _ = try? files.list(path)
    }
    let second = try WorkerThread(name: "second") { [path = scratch.path] in
      try? eventually { hanging.isHanging }
      // Behind the first, or refused at once.
      #expect(throws: FileError.self) { try files.list(path) }
    }
    try eventually { hanging.isHanging }
    files.executor.shorten(to: .zero)
    second.join()
    #expect(files.executor.isStuck)
    #expect(hanging.count == 1)
    first.join()
    hanging.release()
  }

  @Test func `what is given up writes into nobody's memory`() throws {
    let scratch = try Scratch()
    // More than is read when it is opened.
    scratch.write(String(repeating: "late", count: 10_000), to: "f")
    let hanging = HangingFileSystem(at: 3, inPathsWith: scratch.path)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: patience))
    let file = try files.open(scratch["f"])
    try withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      let count = try file.read(into: buffer)
      #expect(count == buffer.count)
      buffer.initializeMemory(as: UInt8.self, repeating: 7)
      try givingUp(hanging, files.executor) {
        _ = #expect(throws: FileError.self) { try file.read(into: buffer) }
      }
      hanging.release()
      try eventually { !files.executor.isStuck }
      #expect(buffer.allSatisfy { $0 == 7 })
    }
  }

  @Test func `a file is the same in parts of any size`() throws {
    let scratch = try Scratch()
    let files = BoundedFileSystem(
      LocalFileSystem(), executor: BoundedExecutor(limit: patience))
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
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: patience))
    let error = try givingUp(hanging, files.executor) {
      #expect(throws: FileError.self) { try files.open(scratch["f"]) }
    }
    #expect(error?.isUnresponsive == true && error?.path == scratch["f"])
    hanging.release()
  }

  @Test func `a file that was given up while it was made is removed when it is there`() throws {
    let scratch = try Scratch()
    let hanging = HangingFileSystem(at: 1, inPathsWith: scratch.path)
    let files = BoundedFileSystem(hanging, executor: BoundedExecutor(limit: patience))
    try givingUp(hanging, files.executor) {
      _ = #expect(throws: FileError.self) { _ = try files.makeTemporary(in: scratch.path) }
    }
    hanging.release()
    try eventually { !files.executor.isStuck }
    #expect(try files.list(scratch.path).isEmpty)
  }

  @Test func `nobody waits for what hangs when the end has come`() throws {
    let scratch = try Scratch()
    let hanging = HangingFileSystem(at: 1, inPathsWith: scratch.path)
    do {
      // Nobody would wait for that.
      let executor = BoundedExecutor(limit: .seconds(86_400))
      let files = BoundedFileSystem(hanging, executor: executor)
      let thread = try WorkerThread(name: "waits") { [path = scratch.path] in
        _ = try? files.list(path)
      }
      try eventually { hanging.isHanging }
      executor.finish(within: .milliseconds(10))
      thread.join()
      #expect(executor.isStuck)
    }
    #expect(hanging.isHanging)
    hanging.release()
  }

  @Test func `threads that ask at the same time all get their own answers`() throws {
    let executor = BoundedExecutor(limit: patience)
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

struct ExecutorGroupTests {
  @Test
  func `where several of a place hang, the others fail at once, and resume when these return`()
    throws
  {
    let scratch = try Scratch()
    let group = ExecutorGroup()
    let hanging = (0..<4).map { _ in HangingFileSystem(at: 1, inPathsWith: scratch.path) }
    let executors = hanging.map { _ in BoundedExecutor(limit: .milliseconds(20), group: group) }
    let last = BoundedFileSystem(
      LocalFileSystem(), executor: BoundedExecutor(limit: patience, group: group))
    for (base, executor) in zip(hanging, executors) {
      #expect(try last.list(scratch.path).isEmpty)
      let files = BoundedFileSystem(base, executor: executor)
      // One that has not begun is not stuck.
      try eventually {
        #expect(throws: FileError.self) { try files.list(scratch.path) }
        return executor.isStuck
      }
    }
    let error = #expect(throws: FileError.self) { try last.list(scratch.path) }
    #expect(error?.isUnresponsive == true)
    for base in hanging { base.release() }
    try eventually { !group.isStuck }
    #expect(try last.list(scratch.path).isEmpty)
  }
}
