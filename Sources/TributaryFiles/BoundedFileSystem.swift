/// Another file system, with a limit for each operation: for directories that other machines, or
/// programs, bring here and may take away.
public struct BoundedFileSystem: FileSystem {
  /// What does the work.
  public let base: any FileSystem
  /// Where it is done.
  public let executor: BoundedExecutor

  /// Starts nothing yet.
  public init(_ base: any FileSystem, executor: BoundedExecutor) {
    self.base = base
    self.executor = executor
  }

  /// All of them or an error, in one step.
  public func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try executor.run("readdir", on: directory) { [base] () throws(FileError) in
      try base.list(directory)
    }
  }

  /// As the other one.
  public func status(_ path: String) throws(FileError) -> FileStatus? {
    try executor.run("stat", on: path) { [base] () throws(FileError) in try base.status(path) }
  }

  /// As the other one.
  public func resolve(_ path: String) throws(FileError) -> String? {
    try executor.run("realpath", on: path) { [base] () throws(FileError) in
      try base.resolve(path)
    }
  }

  /// As the other one.
  public func makeDirectories(_ path: String) throws(FileError) {
    try executor.run("mkdir", on: path) { [base] () throws(FileError) in
      try base.makeDirectories(path)
    }
  }

  /// As the other one.
  public func makeDirectory(_ path: String) throws(FileError) {
    try executor.run("mkdir", on: path) { [base] () throws(FileError) in
      try base.makeDirectory(path)
    }
  }

  /// The limit holds for opening it with reading its beginning, and for each further part.
  public func open(_ path: String) throws(FileError) -> any ReadableFile {
    let file = try executor.run("open", on: path) { [base] () throws(FileError) in
      let file = BoundedReadableFile.Base(try base.open(path))
      try file.readBeginning()
      return file
    }
    return BoundedReadableFile(file, path: path, executor: executor)
  }

  /// The whole file in one step.
  public func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try executor.run("read", on: path) { [base] () throws(FileError) in
      try base.read(path, limit: limit)
    }
  }

  /// The limit holds for making it, for each part that is written, and for publishing it.
  public func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    let file = try executor.run("open", on: directory) { [base] () throws(FileError) in
      BoundedTemporaryFile.Base(try base.makeTemporary(in: directory))
    }
    return BoundedTemporaryFile(file, directory: directory, executor: executor)
  }

  /// As the other one.
  public func remove(_ path: String) throws(FileError) {
    try executor.run("unlink", on: path) { [base] () throws(FileError) in try base.remove(path) }
  }

  /// As the other one.
  public func rename(_ path: String, to newPath: String) throws(FileError) {
    try executor.run("rename", on: path) { [base] () throws(FileError) in
      try base.rename(path, to: newPath)
    }
  }

  /// As the other one.
  public func synchronize(_ path: String) throws(FileError) {
    try executor.run("fdatasync", on: path) { [base] () throws(FileError) in
      try base.synchronize(path)
    }
  }

  /// As the other one.
  public func synchronizeDirectory(_ path: String) throws(FileError) {
    try executor.run("fsync", on: path) { [base] () throws(FileError) in
      try base.synchronizeDirectory(path)
    }
  }
}
