import Glibc
import Testing
import TributaryFiles
import TributaryTesting

struct FileDescriptorTests {
  @Test func `a read from a slow writer is whole`() throws {
    var ends: (Int32, Int32) = (-1, -1)
    _ = withUnsafeMutableBytes(of: &ends) {
      pipe($0.assumingMemoryBound(to: Int32.self).baseAddress!)
    }
    let reader = FileDescriptor(owning: ends.0, path: "pipe")
    let sending = ends.1
    let count = 1 << 20
    let thread = try WorkerThread(name: "slow writer") {
      let writer = FileDescriptor(owning: sending, path: "pipe")
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      // The reader counts what arrives.
      bytes.withUnsafeBytes { try? writer.write($0) }
    }
    var received = [UInt8](repeating: 0, count: count + 10)
    let total = try received.withUnsafeMutableBytes { try reader.read(into: $0) }
    thread.join()
    #expect(total == count)
    #expect(
      received[..<count].indices.allSatisfy { received[$0] == UInt8(truncatingIfNeeded: $0 &* 31) })
  }

  @Test func `reading at an offset does not move the position`() throws {
    let scratch = try Scratch()
    scratch.write("0123456789", to: "a")
    let file = try FileDescriptor.open(scratch["a"], O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 4)
    #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 8) } == 2)
    #expect(bytes == Array("89\0\0".utf8))
    #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 100) } == 0)
    #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0) } == 4)
    #expect(bytes == Array("0123".utf8))
    #expect(throws: FileError.self) {
      try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: .max) }
    }
  }

  @Test func `a full device is an error of the write`() throws {
    let file = try FileDescriptor.open("/dev/full", O_WRONLY)
    let expected = FileError(operation: "write", path: "/dev/full", code: ENOSPC)
    #expect(throws: expected) {
      try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try file.write($0) }
    }
  }

  @Test func `descriptors are closed when they go`() throws {
    let scratch = try Scratch()
    scratch.write("x", to: "a")
    // Far more than a process may have open.
    for _ in 0..<20_000 {
      let file = try scratch.files.open(scratch["a"])
      file.close()
      file.close()
    }
    for _ in 0..<20_000 { _ = try scratch.files.open(scratch["a"]) }
    for _ in 0..<5_000 { try FileDescriptor.open(scratch["a"], O_RDONLY).close() }
  }
}
