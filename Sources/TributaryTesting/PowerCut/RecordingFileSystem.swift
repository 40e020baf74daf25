package import TributaryFiles

/// The file system of this machine, with all operations recorded.
package struct RecordingFileSystem: ForwardingFileSystem {
  package let base: any FileSystem = LocalFileSystem()
  private let recorder: DiskRecorder
  private let ignoresFiles: Bool

  /// Makes the file system.
  ///
  /// - Parameter ignoresFiles: whether the disk claims that a file is durable without doing
  ///   anything.
  package init(_ recorder: DiskRecorder, ignoresFiles: Bool = false) {
    self.recorder = recorder
    self.ignoresFiles = ignoresFiles
  }

  package func makeDirectories(_ path: String) throws(FileError) {
    try base.makeDirectories(path)
    // By the contract of the operation, they are durable.
    recorder.append(.makeDirectory(path))
  }

  package func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    RecordedTemporaryFile(try base.makeTemporary(in: directory), in: directory, recorder)
  }

  package func remove(_ path: String) throws(FileError) {
    try base.remove(path)
    recorder.removed(path)
  }

  package func rename(_ path: String, to newPath: String) throws(FileError) {
    try base.rename(path, to: newPath)
    recorder.renamed(path, to: newPath)
  }

  package func synchronize(_ path: String) throws(FileError) {
    try base.synchronize(path)
    if !ignoresFiles { recorder.synchronized(path) }
  }

  package func synchronizeDirectory(_ path: String) throws(FileError) {
    try base.synchronizeDirectory(path)
    recorder.append(.synchronizeDirectory(path))
  }
}

/// A temporary file whose steps are recorded one by one.
private final class RecordedTemporaryFile: TemporaryFile {
  private let base: any TemporaryFile
  private let directory: String
  private let recorder: DiskRecorder
  private let path: String
  private let file: Int
  private var count = 0
  private var isFinished = false

  init(_ base: any TemporaryFile, in directory: String, _ recorder: DiskRecorder) {
    self.base = base
    self.directory = directory
    self.recorder = recorder
    path = directory.appending(component: ".recorded-\(recorder.count)")
    file = recorder.opened(path, created: true)
  }

  deinit { discard() }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    try base.write(bytes)
    recorder.append(.write(file: file, offset: count, bytes: Array(bytes)))
    count += bytes.count
  }

  func publish(as name: String) throws(FileError) {
    try base.publish(as: name)
    isFinished = true
    recorder.append(.synchronize(file: file))
    recorder.renamed(path, to: directory.appending(component: name))
    recorder.append(.synchronizeDirectory(directory))
  }

  func discard() {
    base.discard()
    if !isFinished { recorder.removed(path) }
    isFinished = true
  }
}
