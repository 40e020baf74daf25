import Foundation
import Synchronization
import Testing
import TributaryFiles
import TributaryTesting

struct FileLockTests {
  /// Whether it can be had, and is then let go.
  private func isFree(_ path: String, within limit: Duration = .zero) throws -> Bool {
    let lock = try FileLock.take(path, within: limit)
    return lock != nil
  }

  @Test func `one at a time has it, and the next one gets it`() throws {
    let scratch = try Scratch()
    scratch.write("", to: "f")
    do {
      let lock = try FileLock.take(scratch["f"])
      let isHeld = lock != nil
      #expect(isHeld)
      #expect(try !isFree(scratch["f"]))
      #expect(try !isFree(scratch["f"], within: .milliseconds(30)))
      _ = consume lock
    }
    #expect(try isFree(scratch["f"]))
  }

  @Test func `who waits for it gets it when it is free`() throws {
    let scratch = try Scratch()
    scratch.write("", to: "f")
    let path = scratch["f"]
    let isWaiting = Atomic(false)
    let hasIt = Atomic(false)
    let lock = try FileLock.take(path)
    let thread = try WorkerThread(name: "waits") {
      isWaiting.store(true, ordering: .releasing)
      guard let lock = try? FileLock.take(path, within: patience) else { return }
      hasIt.store(true, ordering: .releasing)
      _ = consume lock
    }
    try eventually { isWaiting.load(ordering: .acquiring) }
    #expect(try !isFree(path))
    let hadIt = hasIt.load(ordering: .acquiring)
    #expect(!hadIt)
    _ = consume lock
    thread.join()
    let hasItNow = hasIt.load(ordering: .acquiring)
    #expect(hasItNow)
    #expect(try isFree(path))
  }

  @Test func `a process that dies holds it no longer`() throws {
    let scratch = try Scratch()
    scratch.write("", to: "f")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import fcntl, signal, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); signal.pause()",
      scratch["f"],
    ]
    try process.run()
    try eventually { try !isFree(scratch["f"]) }
    kill(process.processIdentifier, SIGKILL)
    #expect(try isFree(scratch["f"], within: patience))
    process.waitUntilExit()
  }

  @Test func `a file made for it is gone afterwards, and whoever waited has a new one`() throws {
    let scratch = try Scratch()
    let path = scratch["lock"]
    // One who waits may come at any moment of the removal.
    for _ in 0..<50 {
      let first = try FileLock.makeAndTake(path, within: .zero)
      let second = try FileLock.makeAndTake(path, within: .milliseconds(1))
      let isTaken = second == nil
      #expect(isTaken)
      let hasIt = Atomic(false)
      let waiting = try WorkerThread(name: "waits") {
        guard let lock = try? FileLock.makeAndTake(path, within: patience) else { return }
        hasIt.store(true, ordering: .releasing)
        lock.removeAndRelease()
      }
      if let first { first.removeAndRelease() }
      waiting.join()
      let hadIt = hasIt.load(ordering: .acquiring)
      #expect(hadIt)
      #expect(try scratch.names().isEmpty)
    }
    let error = #expect(throws: FileError.self) { _ = try FileLock.take(path) }
    #expect(error?.isMissing == true)
  }
}
