/// A file system that forwards everything to another one, except what it overrides.
///
/// `read`, `makeDirectory` and `makeNewDirectory` are not forwarded: their default implementations use
/// the other operations.
package protocol ForwardingFileSystem: FileSystem {
  var base: any FileSystem { get }
}

extension ForwardingFileSystem {
  package func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try base.list(directory)
  }

  package func status(_ path: String) throws(FileError) -> FileStatus? { try base.status(path) }

  package func resolve(_ path: String) throws(FileError) -> String? { try base.resolve(path) }

  package func makeDirectories(_ path: String) throws(FileError) {
    try base.makeDirectories(path)
  }

  package func open(_ path: String) throws(FileError) -> any ReadableFile { try base.open(path) }

  package func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    try base.makeTemporary(in: directory)
  }

  package func remove(_ path: String) throws(FileError) { try base.remove(path) }

  package func removeInexactEntries(of directory: String) throws(FileError) {
    try base.removeInexactEntries(of: directory)
  }

  package func rename(_ path: String, to newPath: String) throws(FileError) {
    try base.rename(path, to: newPath)
  }

  package func synchronize(_ path: String) throws(FileError) { try base.synchronize(path) }

  package func synchronizeDirectory(_ path: String) throws(FileError) {
    try base.synchronizeDirectory(path)
  }
}
