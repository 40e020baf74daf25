extension FileSystem {
  /// Asks for one status after the other.
  package func statuses(_ paths: [String]) throws(FileError) -> [FileStatus?] {
    var statuses: [FileStatus?] = []
    statuses.reserveCapacity(paths.count)
    for path in paths { statuses.append(try status(path)) }
    return statuses
  }
}
