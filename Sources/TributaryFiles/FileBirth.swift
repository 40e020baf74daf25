internal import CPlatform

/// When files were made: a copy of a file has another time, a file that was only written or renamed
/// the same.
public enum FileBirth {
  /// - Returns: nanoseconds since 1970, as precise as the file system is; `nil` where it does not say,
  ///   or where there is no such file.
  ///
  /// Source: *statx(2)*
  public static func nanoseconds(of path: String) -> Int64? {
    var seconds: Int64 = 0
    var nanoseconds: UInt32 = 0
    guard tributary_birth(path, &seconds, &nanoseconds) else { return nil }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : product + Int64(nanoseconds)
  }
}
