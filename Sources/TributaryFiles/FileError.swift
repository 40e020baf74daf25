internal import Glibc

/// A failed operation on a file: the operation, the path, and the system's reason.
package struct FileError: Error, Hashable, Sendable {
  /// The system call that failed, e.g. `rename`.
  package var operation: String

  /// The path as given; for an operation on two paths, the one that it was to change.
  package var path: String

  /// The value of `errno`.
  package var code: Int32

  /// Makes the error for a failed system call.
  package init(operation: String, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// The system's message for the code.
  package var message: String { String(cString: strerror(code)) }
}

extension FileError {
  /// Whether a later attempt may succeed without intervention: network mounts come and go.
  package var isTransient: Bool {
    switch code {
    case ESTALE, EIO, EACCES, EDEADLK, ENOTCONN, EINTR, EBUSY, EAGAIN, ETIMEDOUT: true
    case EMFILE, ENFILE: true
    default: false
    }
  }

  /// Whether the file system does not answer because its server or its program is gone.
  package var isUnresponsive: Bool { code == ETIMEDOUT || code == EHOSTDOWN }

  /// Whether the path names nothing.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether a directory is not empty.
  package var isNotEmpty: Bool { code == ENOTEMPTY || code == EEXIST }

  /// Whether a directory, a link or a device is in place of a file.
  package var isWrongKind: Bool {
    operation == "open" && (code == EISDIR || code == EINVAL || code == ELOOP)
  }

  /// Whether the device or the quota is full.
  package var isFull: Bool {
    (code == ENOSPC || code == EDQUOT) && !isWatchLimit || exceedsProcessLimit
  }

  /// Whether this process may not make a file that large.
  private var exceedsProcessLimit: Bool { code == EFBIG && operation != "read" }

  /// Whether the file system is mounted read-only.
  package var isReadOnly: Bool { code == EROFS }

  /// Whether the system denies this process the access.
  package var isDenied: Bool { code == EACCES || code == EPERM }

  /// Whether this process, or this machine, has run out of open files or memory, whichever file is requested.
  package var isExhaustion: Bool {
    (code == EMFILE || code == ENFILE || code == ENOMEM) && !isWatchLimit
  }

  /// Whether a file exceeds the limit of a read.
  package var isTooLarge: Bool { code == EFBIG && !exceedsProcessLimit }

  // The kernel says "no space" if there are too many watches, and "too many files" if there are too
  // many watchers.
  var isWatchLimit: Bool {
    operation.hasPrefix("inotify") && (code == ENOSPC || code == EMFILE)
  }

  /// What a user can do about it.
  package var remedy: String {
    if isWatchLimit {
      return "raise fs.inotify.max_user_watches and max_user_instances; polling continues meanwhile"
    }
    if exceedsProcessLimit {
      return
        "raise the limit on the size of files of this process, which `ulimit -f` shows and LimitFSIZE= of systemd "
        + "sets; another attempt follows"
    }
    return switch code {
    case ENOENT, ENOTDIR: "check the path, and that its file system is mounted"
    case EACCES, EPERM: "check the permissions of the path and of the directories above it"
    case ENOSPC: "free space on the device; work resumes by itself afterwards"
    case EDQUOT: "free space within the quota; work resumes by itself afterwards"
    case EROFS: "mount the file system for writing"
    case EMFILE:
      "raise the limit of open files of this process, which `ulimit -n` shows and LimitNOFILE= of systemd sets; "
        + "another attempt follows"
    case ENFILE: "raise the system's limit of open files, fs.file-max; another attempt follows"
    case ENOMEM: "free memory on this machine; another attempt follows"
    case ESTALE, ENOTCONN, ETIMEDOUT, EHOSTDOWN: "check the network mount; another attempt follows"
    case EIO: "check the device and the system's log; another attempt follows"
    case EFBIG: "the file is larger than any valid one; remove it or restore it"
    case ELOOP: "replace the symbolic link by the file itself"
    case EISDIR, EINVAL: "replace it by a regular file"
    case ENAMETOOLONG: "choose a shorter path"
    default: "see the system's log"
    }
  }
}

extension FileError: CustomStringConvertible {
  /// One line: operation, path, reason.
  package var description: String { "\(operation) \(path): \(message)" }
}

extension FileError {
  /// Returns the error for a symbolic link without a target where a path must be certain.
  package static func linkToNothing(_ path: String) -> FileError {
    FileError(operation: "realpath", path: path, code: ELOOP)
  }

  /// Returns the error for a path that names nothing.
  package static func missing(_ path: String) -> FileError {
    FileError(operation: "stat", path: path, code: ENOENT)
  }

  /// Returns the error for an operation that took too long.
  static func unresponsive(_ operation: String, _ path: String) -> FileError {
    FileError(operation: operation, path: path, code: ETIMEDOUT)
  }

  /// Returns the error for using a file after it was closed.
  static func closed(_ operation: String, _ path: String) -> FileError {
    FileError(operation: operation, path: path, code: EBADF)
  }

  /// Returns the error for a file that is larger than its kind allows.
  static func tooLarge(_ path: String) -> FileError {
    FileError(operation: "read", path: path, code: EFBIG)
  }
}
