extension FileSystem {
  /// Removes files with temporary names that crashes have left in a directory of Tributary.
  ///
  /// - Parameters:
  ///   - age: the minimum age in milliseconds, one hour by default; a younger file may still be
  ///     being written.
  ///   - clock: the clock to compare with the modification times of the files.
  /// - Returns: the number of files removed.
  /// - Throws: `FileError`; a file that vanishes meanwhile is not an error.
  @discardableResult
  package func removeStaleTemporaries(
    in directory: String, olderThan age: UInt64 = 3_600_000, clock: some WallClock = SystemClock()
  ) throws(FileError) -> Int {
    let now = clock.milliseconds()
    var removed = 0
    for entry in try list(directory) where entry.isExact && TemporaryName.matches(entry.name) {
      let path = directory.appending(component: entry.name)
      guard let status = try status(path), status.kind == .file,
        now > status.modifiedMilliseconds, now - status.modifiedMilliseconds > age
      else { continue }
      try remove(path)
      removed += 1
    }
    return removed
  }
}
