internal import Glibc

extension FileStatus {
  /// Converts the system's form.
  init(_ status: stat) {
    let kind: FileKind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    self.init(
      size: UInt64(max(0, status.st_size)), kind: kind,
      identity: FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
      modifiedNanoseconds: Self.nanoseconds(status.st_mtim),
      changedNanoseconds: Self.nanoseconds(status.st_ctim))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue
      &+ Int64(time.tv_nsec)
  }
}

extension DirectoryEntry {
  /// Converts the system's form in place: on some systems, the name extends beyond the declared
  /// size.
  ///
  /// - Returns: `nil` for `.` and `..`.
  init?(_ entry: UnsafeMutablePointer<dirent>) {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
    let start = UnsafeRawPointer(entry) + offset
    let bytes = UnsafeRawBufferPointer(
      start: start, count: strlen(start.assumingMemoryBound(to: CChar.self)))
    if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { return nil }
    let kind: FileKind =
      switch Int(entry.pointee.d_type) {
      case Int(DT_REG): .file
      case Int(DT_DIR): .directory
      case Int(DT_LNK): .symbolicLink
      case Int(DT_UNKNOWN): .unknown
      default: .other
      }
    if let name = String(validating: bytes, as: UTF8.self) {
      self.init(name: name, kind: kind)
    } else {
      self.init(name: String(decoding: bytes, as: UTF8.self), isExact: false, kind: kind)
    }
  }
}
