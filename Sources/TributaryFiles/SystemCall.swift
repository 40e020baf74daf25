internal import Glibc

/// Runs a system call that reports failure as −1: the one place where `errno` becomes an error.
///
/// An interrupted call (EINTR) is repeated.
///
/// - Parameters:
///   - operation: the name of the call, for the error.
///   - path: what it works on, for the error.
/// - Throws: `FileError` with the call's `errno`; EINVAL, without calling, for a path with a NUL,
///   which C would cut short.
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
  /// Whether one of its bytes is zero.
  fileprivate var containsNull: Bool {
    // Each system call asks: a search of the C library takes a tenth of the time.
    utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    } ?? utf8.contains(0)
  }
}

/// The same for a call that reports failure as a null pointer.
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

/// The same for a call that returns its error number, as those of threads do.
package func threadCall(_ operation: String, on name: String, _ call: () -> Int32) throws(FileError)
{
  let code = call()
  guard code == 0 else { throw FileError(operation: operation, path: name, code: code) }
}
