internal import Glibc

/// A file under a temporary name on this machine.
///
/// It keeps its directory open, so that all steps happen in the same directory even while mounts
/// come and go over its path.
final class LocalTemporaryFile: TemporaryFile {
  private let directory: FileDescriptor
  private var name: String
  private var file: FileDescriptor?

  init(in directory: String) throws(FileError) {
    self.directory = try FileDescriptor.open(directory, O_RDONLY | O_DIRECTORY)
    name = TemporaryName.random()
    do throws(FileError) {
      file = try self.directory.open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    } catch {
      throw FileError(operation: error.operation, path: directory, code: error.code)
    }
  }

  deinit { discard() }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    guard file != nil else { throw finished("write") }
    do throws(FileError) {
      try file!.write(bytes)
    } catch {
      // The temporary name would tell the reader nothing, and each attempt has a different one.
      throw FileError(operation: error.operation, path: directory.path, code: error.code)
    }
  }

  func publish(as finalName: String) throws(FileError) {
    guard file != nil else { throw finished("rename") }
    let target = directory.path.appending(component: finalName)
    do throws(FileError) {
      guard !finalName.isEmpty, !finalName.utf8.contains(where: { $0 == 0 || $0 == 0x2f }) else {
        throw FileError(operation: "rename", path: target, code: EINVAL)
      }
      do throws(FileError) {
        try file!.synchronize()
        try file.take()!.close()
      } catch {
        throw FileError(operation: error.operation, path: target, code: error.code)
      }
      try systemCall("rename", on: target) {
        renameat(directory.number, name, directory.number, finalName)
      }
    } catch {
      remove()
      throw error
    }
    name = ""
    // The directory too: a rename alone does not survive a power cut.
    try directory.synchronizeEntries()
  }

  func discard() {
    file = nil
    remove()
  }

  private func remove() {
    file = nil
    if name.isEmpty { return }
    // What cannot be removed now is found later by its name and age.
    _ = unlinkat(directory.number, name, 0)
    name = ""
  }

  private func finished(_ operation: String) -> FileError {
    FileError(operation: operation, path: directory.path, code: EBADF)
  }
}
