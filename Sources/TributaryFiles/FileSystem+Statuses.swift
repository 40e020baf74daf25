extension FileSystem {
  /// Asks for the statuses one after another.
  package func statuses(_ paths: [String]) throws(FileError) -> [FileStatus?] {
    var statuses: [FileStatus?] = []
    statuses.reserveCapacity(paths.count)
    for path in paths { statuses.append(try status(path)) }
    return statuses
  }
}
