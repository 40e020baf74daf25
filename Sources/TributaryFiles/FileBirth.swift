internal import CPlatform

/// The creation time of files. A copy has a different one; writing to a file or renaming it keeps it.
package enum FileBirth {
  /// Returns the creation time of a file.
  ///
  /// - Returns: nanoseconds since 1970, with the precision of the file system; `nil` if it does not report
  ///   the time, or if there is no such file.
  ///
  /// Source: *statx(2)*
  package static func nanoseconds(of path: String) -> Int64? {
    var seconds: Int64 = 0
    var nanoseconds: UInt32 = 0
    guard tributary_birth(path, &seconds, &nanoseconds) else { return nil }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : product + Int64(nanoseconds)
  }
}
