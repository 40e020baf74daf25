internal import CPlatform
internal import Glibc

extension LocalFileSystem {
  /// The precision of times, in nanoseconds. File systems count time in steps of up to a second, and two
  /// changes in one step cannot be distinguished.
  private static let step: Int64 = 2_000_000_000

  /// *statfs(2)*, *stat(2)*
  package func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?] {
    guard let first = directories.first, tributary_notes_changes(first) else {
      return directories.map { _ in nil }
    }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    var device: UInt64?
    var stamps: [DirectoryStamp?] = []
    stamps.reserveCapacity(directories.count)
    let reader = StatusReader(of: directories)
    for directory in directories {
      guard let status = try reader.status(directory) else {
        stamps.append(nil)
        continue
      }
      let stamp = DirectoryStamp(
        identity: FileStatus(status).identity,
        changedNanoseconds: Int64(status.st_ctim.tv_sec)
          .multipliedReportingOverflow(by: 1_000_000_000).partialValue
          &+ Int64(status.st_ctim.tv_nsec))
      // Another file system may be mounted in the middle.
      device = device ?? stamp.identity.device
      let isUsable =
        status.st_mode & S_IFMT == S_IFDIR && stamp.identity.device == device
        && now &- stamp.changedNanoseconds > Self.step
      stamps.append(isUsable ? stamp : nil)
    }
    return stamps
  }

  /// Whether a path is on one of this machine's own file systems, where every change goes through this
  /// machine. *statfs(2)*
  package static func notesChanges(_ path: String) -> Bool { tributary_notes_changes(path) }
}
