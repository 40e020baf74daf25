import Glibc
internal import TributaryFiles
internal import TributaryTesting

/// A file under a temporary name on a simulated disk. As on a real disk, publishing takes four steps, and
/// each may be the last.
final class SimulatedTemporaryFile: TemporaryFile {
  private let path: String
  private var file: SimulatedFile?
  private let disk: SimulatedDisk
  private let system: SimulatedFileSystem

  init(
    path: String, _ file: SimulatedFile, on disk: SimulatedDisk, by system: SimulatedFileSystem
  ) {
    self.path = path
    self.file = file
    self.disk = disk
    self.system = system
  }

  deinit { discard() }

  private func failure(_ operation: String, _ code: Int32) -> FileError {
    FileError(operation: operation, path: path, code: code)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    let isShort = try system.driver.next("write", path, writes: true)
    guard let file else { throw failure("write", EBADF) }
    if isShort || system.driver.mount == .full {
      file.append(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
      throw failure("write", ENOSPC)
    }
    file.append(bytes)
  }

  func publish(as name: String) throws(FileError) {
    guard let file else { throw failure("rename", EBADF) }
    let target = path.parentDirectory.appending(component: name)
    do throws(FileError) {
      try system.driver.next("fsync", path, writes: true)
      disk.synchronize(file)
      try system.driver.next("close", path, writes: true)
      try system.driver.next("rename", target, writes: true)
      guard disk.file(path) === file else { throw failure("rename", ENOENT) }
    } catch {
      discard()
      throw error
    }
    // In the directory that was opened, regardless of what is now mounted over its path.
    system.willChange(target, on: disk)
    disk.rename(path, to: target)
    self.file = nil
    system.didPublish(target, file.bytes)
    try system.driver.next("fsync", path.parentDirectory, writes: true)
    disk.synchronizeDirectory(path.parentDirectory)
  }

  func discard() {
    guard let file else { return }
    self.file = nil
    // Nothing removes it once the process is dead, or if removing fails too.
    do throws(FileError) {
      try system.driver.next("unlink", path, writes: true)
    } catch {
      return
    }
    if disk.file(path) === file { disk.remove(path) }
  }
}
