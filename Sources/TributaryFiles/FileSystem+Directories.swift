internal import Glibc

extension FileSystem {
  /// Makes a directory after checking that its parent exists. File systems with a system call for
  /// both override this.
  package func makeDirectory(_ path: String) throws(FileError) {
    guard try status(path.parentDirectory) != nil else { throw .missing(path.parentDirectory) }
    try makeDirectories(path)
  }

  /// Makes a directory after checking that there is nothing at the path. File systems that several processes
  /// use override this.
  package func makeNewDirectory(_ path: String) throws(FileError) {
    guard try status(path) == nil else {
      throw FileError(operation: "mkdir", path: path, code: EEXIST)
    }
    try makeDirectory(path)
  }

  /// Fails rather than leave out entries that it cannot name. File systems that handle names as bytes
  /// override this.
  package func removeInexactEntries(of directory: String) throws(FileError) {
    for entry in try list(directory) where !entry.isExact {
      throw FileError(
        operation: "unlink", path: directory.appending(component: entry.name), code: EILSEQ)
    }
  }
}
