extension FileSystem {
  /// Looks for the directory above first; who has a system call for both has its own.
  public func makeDirectory(_ path: String) throws(FileError) {
    guard try status(path.parentDirectory) != nil else { throw .missing(path.parentDirectory) }
    try makeDirectories(path)
  }
}
