import Glibc

/// The limit on open files of this process. A service needs more than the usual 1,024. *getrlimit(2)*
enum OpenFileLimit {
  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

  /// Raises the limit as far as this process may.
  ///
  /// - Returns: the former limit, for programs that this process starts: programs that use *select(2)* cannot
  ///   have files beyond the usual limit. `nil` if the limit is unchanged.
  static func raise() -> UInt64? {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return nil }
    let former = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    return setrlimit(resource, &limit) == 0 ? UInt64(former) : nil
  }
}
