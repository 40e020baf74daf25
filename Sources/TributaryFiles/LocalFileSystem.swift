internal import Glibc

/// The file system of this machine.
package struct LocalFileSystem: FileSystem {
  /// Makes the file system; it has no state.
  package init() {}

  /// *readdir(3)*
  package func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    let stream = try systemPointer("opendir", on: directory) { opendir(directory) }
    defer { closedir(stream) }
    var entries: [DirectoryEntry] = []
    while true {
      // The end and a failure both return null; only errno tells them apart.
      errno = 0
      guard let entry = readdir(stream) else {
        if errno == 0 { return entries }
        throw FileError(operation: "readdir", path: directory, code: errno)
      }
      if let found = DirectoryEntry(entry) { entries.append(found) }
    }
  }

  /// *stat(2)*
  package func status(_ path: String) throws(FileError) -> FileStatus? {
    try StatusReader(of: [path]).status(path).map(FileStatus.init)
  }

  /// *stat(2)*
  package func statuses(_ paths: [String]) throws(FileError) -> [FileStatus?] {
    let reader = StatusReader(of: paths)
    var statuses: [FileStatus?] = []
    statuses.reserveCapacity(paths.count)
    for path in paths { statuses.append(try reader.status(path).map(FileStatus.init)) }
    return statuses
  }

  /// *realpath(3)*
  package func resolve(_ path: String) throws(FileError) -> String? {
    do {
      let resolved = try systemPointer("realpath", on: path) { realpath(path, nil) }
      defer { free(resolved) }
      return String(cString: resolved)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  /// *mkdir(2)*
  package func makeDirectories(_ path: String) throws(FileError) {
    do {
      try makeDirectory(path)
    } catch {
      guard error.code == ENOENT, path.parentDirectory != path else { throw error }
      try makeDirectories(path.parentDirectory)
      try makeDirectory(path)
    }
  }

  /// *mkdir(2)*
  package func makeDirectory(_ path: String) throws(FileError) {
    do {
      try systemCall("mkdir", on: path) { mkdir(path, 0o777) }
    } catch {
      // On a read-only or foreign mount, an existing directory may yield another error.
      if try status(path)?.kind == .directory { return }
      throw error
    }
    try synchronizeDirectory(path.parentDirectory)
  }

  /// *mkdir(2)*
  package func makeNewDirectory(_ path: String) throws(FileError) {
    try systemCall("mkdir", on: path) { mkdir(path, 0o777) }
    try synchronizeDirectory(path.parentDirectory)
  }

  /// *open(2)*
  package func open(_ path: String) throws(FileError) -> any ReadableFile {
    // Without O_NONBLOCK, opening a pipe would wait for its writer forever.
    let descriptor = try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    var status = stat()
    try systemCall("fstat", on: path) { fstat(descriptor.number, &status) }
    let found = FileStatus(status)
    switch found.kind {
    case .file: return LocalReadableFile(descriptor, byteCount: found.size)
    case .directory: throw FileError(operation: "open", path: path, code: EISDIR)
    default: throw FileError(operation: "open", path: path, code: EINVAL)
    }
  }

  /// *open(2)*
  package func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    try LocalTemporaryFile(in: directory)
  }

  /// *unlink(2)*, *rmdir(2)*
  package func remove(_ path: String) throws(FileError) {
    do {
      try systemCall("unlink", on: path) { unlink(path) }
    } catch {
      if error.code == ENOENT { return }
      guard error.code == EISDIR else { throw error }
      try systemCall("rmdir", on: path) { rmdir(path) }
    }
  }

  /// *rename(2)*
  package func rename(_ path: String, to newPath: String) throws(FileError) {
    try systemCall("rename", on: path) {
      newPath.utf8.contains(0) ? invalidPath() : Glibc.rename(path, newPath)
    }
  }

  /// *fdatasync(2)*
  package func synchronize(_ path: String) throws(FileError) {
    try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK).synchronizeData()
  }

  /// *fsync(2)*
  package func synchronizeDirectory(_ path: String) throws(FileError) {
    try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY).synchronizeEntries()
  }
}

/// Fails like a system call whose path is invalid.
func invalidPath() -> Int32 {
  errno = EINVAL
  return -1
}
