import Foundation
import Synchronization
import Testing
import TributaryFiles
import TributaryTesting

struct LockHolderTests {
  /// A kernel that leaves all locks out of its list a few times, as it does where others are released while
  /// the list is read.
  private final class ForgetfulKernel: ForwardingFileSystem {
    let base: any FileSystem = LocalFileSystem()
    private let left: Mutex<Int>

    init(forgetting count: Int) { left = Mutex(count) }

    func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
      let isForgotten = left.withLock { left in
        guard path == "/proc/locks", left > 0 else { return false }
        left -= 1
        return true
      }
      return isForgotten ? [] : try base.read(path, limit: limit)
    }
  }

  /// Locks the bytes 100 … 109 of a file, and says so.
  private static let holder = """
    fcntl, sys = map(__import__, ['fcntl', 'sys'])
    f = open(sys.argv[1], 'r+')
    fcntl.lockf(f, fcntl.LOCK_EX, 10, 100)
    print('held', flush=True)
    sys.stdin.read()
    """

  @Test func `who locks a byte is found, also if the kernel's list lacks it at first`() throws {
    let scratch = try Scratch()
    scratch.write("", to: "f")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.holder, scratch["f"]]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
    for count in 0...3 {
      func find(_ byte: UInt64) -> Int32? {
        LockHolder.find(path: scratch["f"], byte: byte, ForgetfulKernel(forgetting: count))?.process
      }
      #expect(find(99) == nil && find(110) == nil)
      #expect(find(100) == process.processIdentifier)
      #expect(find(109) == process.processIdentifier)
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(LockHolder.find(path: scratch["f"], byte: 100, LocalFileSystem()) == nil)
  }
}
