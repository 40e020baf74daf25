internal import Glibc

/// Runs a system call that reports failure as −1. This is the one place where `errno` becomes an
/// error.
///
/// An interrupted call (EINTR) is repeated.
///
/// - Parameters:
///   - operation: the name of the call, for the error.
///   - path: what the call works on, for the error.
/// - Throws: `FileError` with the call's `errno`; EINVAL, without making the call, for a path with
///   a NUL, at which C would end the path.
@discardableResult
package func systemCall<Result: FixedWidthInteger>(
  _ operation: String, on path: String, _ call: () -> Result
) throws(FileError) -> Result {
  guard !path.containsNull else {
    throw FileError(operation: operation, path: path, code: EINVAL)
  }
  while true {
    let result = call()
    if result != -1 { return result }
    let code = errno
    if code != EINTR { throw FileError(operation: operation, path: path, code: code) }
  }
}

extension String {
  /// Whether the string contains a NUL.
  fileprivate var containsNull: Bool {
    // Every system call goes through here, and a search by the C library takes a tenth of the time.
    utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    } ?? utf8.contains(0)
  }
}

/// Runs a system call that reports failure as a null pointer, like `systemCall`.
package func systemPointer<Pointer>(
  _ operation: String, on path: String, _ call: () -> Pointer?
) throws(FileError) -> Pointer {
  var pointer: Pointer?
  try systemCall(operation, on: path) { () -> Int in
    pointer = call()
    return pointer == nil ? -1 : 0
  }
  return pointer!
}

/// Runs a call that returns its error number, as the calls for threads do, like `systemCall`.
package func threadCall(_ operation: String, on name: String, _ call: () -> Int32) throws(FileError)
{
  let code = call()
  guard code == 0 else { throw FileError(operation: operation, path: name, code: code) }
}
