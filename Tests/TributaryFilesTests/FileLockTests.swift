import Foundation
import Testing
import TributaryFiles

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

  @Test func `who waits for it gets it as soon as it is free`() throws {
    let scratch = try Scratch()
    scratch.write("", to: "f")
    let path = scratch["f"]
    let thread = try WorkerThread(name: "holds") {
      guard let lock = try? FileLock.take(path) else { return }
      usleep(100_000)
      _ = consume lock
    }
    usleep(30_000)
    #expect(try isFree(path, within: .seconds(10)))
    thread.join()
  }

  @Test func `a process that dies holds it no longer`() throws {
    let scratch = try Scratch()
    scratch.write("", to: "f")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import fcntl, sys, time; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); time.sleep(100)",
      scratch["f"],
    ]
    try process.run()
    while try isFree(scratch["f"]) { usleep(10_000) }
    kill(process.processIdentifier, SIGKILL)
    #expect(try isFree(scratch["f"], within: .seconds(10)))
    process.waitUntilExit()
  }

  @Test func `a file made for it is gone afterwards, and whoever waited has a new one`() throws {
    let scratch = try Scratch()
    let path = scratch["lock"]
    let first = try FileLock.makeAndTake(path, within: .zero)
    let second = try FileLock.makeAndTake(path, within: .milliseconds(20))
    let isTaken = second == nil
    #expect(isTaken)
    let waiting = try WorkerThread(name: "waits") {
      guard let lock = try? FileLock.makeAndTake(path, within: .seconds(10)) else { return }
      lock.removeAndRelease()
    }
    usleep(20_000)
    if let first { first.removeAndRelease() }
    waiting.join()
    #expect(try scratch.names().isEmpty)
    let error = #expect(throws: FileError.self) { _ = try FileLock.take(path) }
    #expect(error?.isMissing == true)
  }
}
