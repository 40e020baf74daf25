internal import Glibc

extension LocalFileSystem: AccessProbe {
  /// *faccessat(2)*, with the present rights of the process
  package func checkAccess(_ path: String, for use: FileUse) throws(FileError) {
    let mode: Int32 =
      switch use {
      case .read: R_OK
      case .write: W_OK
      case .search: X_OK
      }
    try systemCall("faccessat", on: path) { faccessat(AT_FDCWD, path, mode, AT_EACCESS) }
  }

  /// *statvfs(3)*
  package func volume(of path: String) throws(FileError) -> VolumeStatus {
    var status = statvfs()
    try systemCall("statvfs", on: path) { statvfs(path, &status) }
    let size = UInt64(status.f_frsize)
    let bytes = UInt64(status.f_bavail).multipliedReportingOverflow(by: size)
    return VolumeStatus(
      availableByteCount: bytes.overflow ? .max : bytes.partialValue,
      // Some file systems have no such count.
      availableFileCount: status.f_files == 0 ? nil : UInt64(status.f_favail),
      isReadOnly: UInt64(status.f_flag) & UInt64(ST_RDONLY) != 0)
  }

  /// *stat(2)*, *geteuid(2)*
  package func permissions(of path: String) throws(FileError) -> FilePermissions? {
    var status = stat()
    do {
      try systemCall("stat", on: path) { stat(path, &status) }
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    return FilePermissions(
      owner: status.st_uid, group: status.st_gid,
      mode: UInt16(truncatingIfNeeded: status.st_mode & 0o7777), user: geteuid())
  }
}
