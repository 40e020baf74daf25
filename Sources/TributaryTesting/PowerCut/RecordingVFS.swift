import CSQLite
import Glibc
import Synchronization
internal import TributaryFiles

/// Makes SQLite report its file operations to a recorder.
///
/// SQLite's own access to the disk stays as it is; writes are recorded in between. Files that are
/// not below the recorder's directory pass through.
package enum RecordingVFS {
  private static let current = Mutex<DiskRecorder?>(nil)

  /// Makes SQLite open all databases of this process as if on a disk that guarantees nothing, not even that a
  /// write leaves the data beside it undamaged.
  package static func install() { _ = registration }

  /// Runs `body` while all databases that are opened below the recorder's directory are recorded. Only one
  /// recording can run at a time.
  package static func record<Result>(
    _ recorder: DiskRecorder, _ body: () throws -> Result
  ) rethrows -> Result {
    _ = registration
    current.withLock { $0 = recorder }
    defer { current.withLock { $0 = nil } }
    return try body()
  }

  static func recorder(of path: String) -> DiskRecorder? {
    current.withLock { $0 }.flatMap { $0.isRecorded(path) ? $0 : nil }
  }

  /// The system's VFS, which does the work.
  private nonisolated(unsafe) static let base = sqlite3_vfs_find(nil)!

  private static let registration: Int32 = {
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: base.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = UnsafePointer(strdup("tributary-recording"))
    vfs.pointee.szOsFile = Int32(RecordedFile.headerByteCount) + base.pointee.szOsFile
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      let recorded = RecordedFile(file!)
      let code = base.pointee.xOpen(vfs, name, recorded.base, flags, outFlags)
      recorded.begin(name.map { String(cString: $0) }, flags: flags, succeeded: code == SQLITE_OK)
      return code
    }
    vfs.pointee.xDelete = { vfs, name, synchronizes in
      let code = base.pointee.xDelete(vfs, name, synchronizes)
      if code == SQLITE_OK, let name {
        let path = String(cString: name)
        if let recorder = recorder(of: path) {
          recorder.removed(path)
          if synchronizes != 0 {
            recorder.append(.synchronizeDirectory(path.parentDirectory))
          }
        }
      }
      return code
    }
    return sqlite3_vfs_register(vfs, 1)
  }()
}
