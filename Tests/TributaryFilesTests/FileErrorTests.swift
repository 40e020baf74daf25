import Glibc
import Testing
import TributaryFiles

struct FileErrorTests {
  @Test(arguments: [ESTALE, EIO, EACCES, EDEADLK, ENOTCONN, EINTR, EBUSY, EAGAIN, ETIMEDOUT])
  func `a failure of a mount is transient`(code: Int32) {
    let error = FileError(operation: "read", path: "a", code: code)
    #expect(error.isTransient)
    #expect(!error.isMissing && !error.isFull && !error.isReadOnly)
    #expect(!error.remedy.isEmpty)
  }

  @Test func `missing, full and read-only are told apart`() {
    func error(_ code: Int32) -> FileError {
      FileError(operation: "open", path: "a", code: code)
    }
    #expect(error(ENOENT).isMissing && error(ENOTDIR).isMissing && !error(EIO).isMissing)
    #expect(error(ENOSPC).isFull && error(EDQUOT).isFull && !error(EIO).isFull)
    #expect(error(EROFS).isReadOnly && !error(EIO).isReadOnly)
    #expect(!error(ENOENT).isTransient && !error(ENOSPC).isTransient)
  }

  @Test func `a file that this process may not make as large is no damaged one`() {
    let written = FileError(operation: "write", path: "a", code: EFBIG)
    #expect(written.isFull && !written.isTooLarge && written.remedy.contains("ulimit -f"))
    let read = FileError(operation: "read", path: "a", code: EFBIG)
    #expect(!read.isFull && read.isTooLarge && !read.remedy.contains("ulimit"))
  }

  @Test func `too many watches are not a full device`() {
    let error = FileError(operation: "inotify_add_watch", path: "a", code: ENOSPC)
    #expect(!error.isFull)
    #expect(error.remedy.contains("max_user_watches"))
  }

  @Test func `the description names operation, path and reason`() {
    let error = FileError(operation: "rename", path: "/a b/ü", code: ENOENT)
    #expect(error.description == "rename /a b/ü: No such file or directory")
  }

  @Test func `an interrupted call is repeated`() throws {
    var calls = 0
    let result = try systemCall("read", on: "a") { () -> Int in
      calls += 1
      errno = EINTR
      return calls < 4 ? -1 : 7
    }
    #expect(result == 7)
    #expect(calls == 4)
  }

  @Test func `a path with a NUL reaches no call`() {
    let expected = FileError(operation: "open", path: "/etc/passwd\0.lz4", code: EINVAL)
    #expect(throws: expected) { try LocalFileSystem().open("/etc/passwd\0.lz4") }
    let files = LocalFileSystem()
    #expect(throws: FileError.self) { try files.list("/tmp\0") }
    #expect(throws: FileError.self) { try files.status("/tmp\0") }
    #expect(throws: FileError.self) { try files.remove("/tmp/x\0") }
    #expect(throws: FileError.self) { try files.rename("/tmp/x", to: "/tmp/y\0") }
    #expect(throws: FileError.self) { try files.makeDirectories("/tmp/x\0") }
  }
}
