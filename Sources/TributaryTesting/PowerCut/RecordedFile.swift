import CSQLite
import Synchronization
internal import TributaryFiles

/// The memory of a file that SQLite has open: the number of the file in the recorder, followed by
/// the system's own part.
struct RecordedFile {
  private let pointer: UnsafeMutablePointer<sqlite3_file>

  /// The number of bytes before the system's own part.
  static let headerByteCount = 24

  init(_ pointer: UnsafeMutablePointer<sqlite3_file>) { self.pointer = pointer }

  /// The system's own part.
  var base: UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(pointer) + Self.headerByteCount)
      .assumingMemoryBound(to: sqlite3_file.self)
  }

  /// The number of the file; −1 if it is not recorded.
  private var number: UnsafeMutablePointer<Int> {
    (UnsafeMutableRawPointer(pointer) + 8).assumingMemoryBound(to: Int.self)
  }

  private var recorder: UnsafeMutablePointer<Unmanaged<DiskRecorder>?> {
    (UnsafeMutableRawPointer(pointer) + 16)
      .assumingMemoryBound(to: Unmanaged<DiskRecorder>?.self)
  }

  func begin(_ path: String?, flags: Int32, succeeded: Bool) {
    number.pointee = -1
    recorder.initialize(to: nil)
    pointer.pointee.pMethods = nil
    guard succeeded else { return }
    pointer.pointee.pMethods = UnsafePointer(Self.methods)
    guard let path, let own = RecordingVFS.recorder(of: path) else { return }
    number.pointee = own.opened(path, created: flags & SQLITE_OPEN_CREATE != 0)
    recorder.pointee = Unmanaged.passRetained(own)
    Self.paths.withLock { $0[number.pointee] = path }
  }

  private func end() {
    recorder.pointee?.release()
    recorder.pointee = nil
    number.pointee = -1
  }

  private func note(_ operation: (Int) -> DiskOperation) {
    guard number.pointee >= 0, let recorder = recorder.pointee?.takeUnretainedValue() else {
      return
    }
    recorder.append(operation(number.pointee))
  }

  /// Records a synchronisation. Logs make their name durable with their contents.
  private func noteSynchronization() {
    note { .synchronize(file: $0) }
    if let path = Self.paths.withLock({ $0[number.pointee] }), path.hasSuffix("-wal") {
      note { _ in .synchronizeDirectory(path.parentDirectory) }
    }
  }

  private var isUnreadable: Bool {
    guard recorder.pointee?.takeUnretainedValue().hasUnreadableLogs == true else { return false }
    return Self.paths.withLock { $0[number.pointee] }?.hasSuffix("-wal") == true
  }

  private static let paths = Mutex<[Int: String]>([:])

  private var system: sqlite3_io_methods { base.pointee.pMethods.pointee }

  private nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { file in
      let file = RecordedFile(file!)
      file.end()
      return file.system.xClose(file.base)
    }
    methods.pointee.xRead = { file, bytes, count, offset in
      let file = RecordedFile(file!)
      if file.isUnreadable { return SQLITE_IOERR }
      return file.system.xRead(file.base, bytes, count, offset)
    }
    methods.pointee.xWrite = { file, bytes, count, offset in
      let file = RecordedFile(file!)
      let code = file.system.xWrite(file.base, bytes, count, offset)
      file.note {
        .write(
          file: $0, offset: Int(offset),
          bytes: Array(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
      }
      return code
    }
    methods.pointee.xTruncate = { file, size in
      let file = RecordedFile(file!)
      let code = file.system.xTruncate(file.base, size)
      file.note { .truncate(file: $0, size: Int(size)) }
      return code
    }
    methods.pointee.xSync = { file, flags in
      let file = RecordedFile(file!)
      let code = file.system.xSync(file.base, flags)
      file.noteSynchronization()
      return code
    }
    methods.pointee.xFileSize = { file, size in
      let file = RecordedFile(file!)
      return file.system.xFileSize(file.base, size)
    }
    methods.pointee.xLock = { file, level in
      let file = RecordedFile(file!)
      return file.system.xLock(file.base, level)
    }
    methods.pointee.xUnlock = { file, level in
      let file = RecordedFile(file!)
      return file.system.xUnlock(file.base, level)
    }
    methods.pointee.xCheckReservedLock = { file, result in
      let file = RecordedFile(file!)
      return file.system.xCheckReservedLock(file.base, result)
    }
    methods.pointee.xFileControl = { file, operation, argument in
      let file = RecordedFile(file!)
      return file.system.xFileControl(file.base, operation, argument)
    }
    methods.pointee.xSectorSize = { file in
      let file = RecordedFile(file!)
      return file.system.xSectorSize(file.base)
    }
    // This disk guarantees nothing.
    methods.pointee.xDeviceCharacteristics = { _ in 0 }
    methods.pointee.xShmMap = { file, page, size, extends, result in
      let file = RecordedFile(file!)
      return file.system.xShmMap(file.base, page, size, extends, result)
    }
    methods.pointee.xShmLock = { file, offset, count, flags in
      let file = RecordedFile(file!)
      return file.system.xShmLock(file.base, offset, count, flags)
    }
    methods.pointee.xShmBarrier = { file in
      let file = RecordedFile(file!)
      file.system.xShmBarrier(file.base)
    }
    methods.pointee.xShmUnmap = { file, deletes in
      let file = RecordedFile(file!)
      return file.system.xShmUnmap(file.base, deletes)
    }
    return methods
  }()
}
