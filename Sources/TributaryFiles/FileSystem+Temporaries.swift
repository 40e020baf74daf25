extension FileSystem {
  /// Removes what crashes have left under temporary names in a directory of ours.
  ///
  /// - Parameters:
  ///   - age: in milliseconds; a younger file may still be being written. One hour, unless told.
  ///   - clock: compared with the files' times of modification.
  /// - Returns: how many were removed.
  /// - Throws: `FileError`; a file that vanishes meanwhile is none.
  @discardableResult
  public func removeStaleTemporaries(
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
