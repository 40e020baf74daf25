/// A file system that limits the time of each operation on another one. It is for directories that
/// other machines or programs provide and may take away.
package struct BoundedFileSystem: FileSystem {
  /// The file system that does the work.
  package let base: any FileSystem
  /// The executor on whose thread the work is done.
  package let executor: BoundedExecutor

  /// Makes the file system without starting a thread.
  package init(_ base: any FileSystem, executor: BoundedExecutor) {
    self.base = base
    self.executor = executor
  }

  /// Returns all entries or throws, in one step.
  package func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try executor.run("readdir", on: directory) { [base] () throws(FileError) in
      try base.list(directory)
    }
  }

  /// Forwards to the base file system.
  package func status(_ path: String) throws(FileError) -> FileStatus? {
    try executor.run("stat", on: path) { [base] () throws(FileError) in try base.status(path) }
  }

  /// Forwards to the base file system.
  package func resolve(_ path: String) throws(FileError) -> String? {
    try executor.run("realpath", on: path) { [base] () throws(FileError) in
      try base.resolve(path)
    }
  }

  /// Forwards to the base file system.
  package func makeDirectories(_ path: String) throws(FileError) {
    try executor.run("mkdir", on: path) { [base] () throws(FileError) in
      try base.makeDirectories(path)
    }
  }

  /// Forwards to the base file system.
  package func makeDirectory(_ path: String) throws(FileError) {
    try executor.run("mkdir", on: path) { [base] () throws(FileError) in
      try base.makeDirectory(path)
    }
  }

  /// Forwards to the base file system.
  package func makeNewDirectory(_ path: String) throws(FileError) {
    try executor.run("mkdir", on: path) { [base] () throws(FileError) in
      try base.makeNewDirectory(path)
    }
  }

  /// Opens a file. One limit holds for opening it and reading its beginning, and one for each
  /// further part.
  package func open(_ path: String) throws(FileError) -> any ReadableFile {
    let file = try executor.run("open", on: path) { [base] () throws(FileError) in
      let file = BoundedReadableFile.Base(try base.open(path))
      try file.readBeginning()
      return file
    }
    return BoundedReadableFile(file, path: path, executor: executor)
  }

  /// Reads the whole file in one step.
  package func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try executor.run("read", on: path) { [base] () throws(FileError) in
      try base.read(path, limit: limit)
    }
  }

  /// Makes a temporary file. The limit holds for making it, for each part that is written, and for
  /// publishing it.
  package func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    let file = try executor.run("open", on: directory) { [base] () throws(FileError) in
      BoundedTemporaryFile.Base(try base.makeTemporary(in: directory))
    }
    return BoundedTemporaryFile(file, directory: directory, executor: executor)
  }

  /// Forwards to the base file system.
  package func remove(_ path: String) throws(FileError) {
    try executor.run("unlink", on: path) { [base] () throws(FileError) in try base.remove(path) }
  }

  /// Forwards to the base file system.
  package func removeInexactEntries(of directory: String) throws(FileError) {
    try executor.run("unlink", on: directory) { [base] () throws(FileError) in
      try base.removeInexactEntries(of: directory)
    }
  }

  /// Forwards to the base file system.
  package func rename(_ path: String, to newPath: String) throws(FileError) {
    try executor.run("rename", on: path) { [base] () throws(FileError) in
      try base.rename(path, to: newPath)
    }
  }

  /// Forwards to the base file system.
  package func synchronize(_ path: String) throws(FileError) {
    try executor.run("fdatasync", on: path) { [base] () throws(FileError) in
      try base.synchronize(path)
    }
  }

  /// Forwards to the base file system.
  package func synchronizeDirectory(_ path: String) throws(FileError) {
    try executor.run("fsync", on: path) { [base] () throws(FileError) in
      try base.synchronizeDirectory(path)
    }
  }
}
