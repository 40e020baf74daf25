internal import Synchronization
import TributaryFiles

/// The names in many directories, each of which is listed again only if its stamp has changed.
package final class DirectoryNames: Sendable {
  private struct State {
    var known: [String: (stamp: DirectoryStamp, names: [String])] = [:]
    var count = 0
  }

  private let fewest: Int
  private let state = Mutex(State())

  /// Makes an empty memory.
  ///
  /// - Parameter fewest: the fewest directories whose names are remembered.
  package init(fewest: Int = ListingMemory.fewest) { self.fewest = fewest }

  /// Returns the names in each directory; none for a directory that does not exist, or cannot be
  /// listed now.
  package func names(in directories: [String], using fileSystem: any FileSystem) -> [[String]] {
    // A directory that cannot be listed counts as missing; `doctor` says why.
    func list(_ directory: String) -> [String]? {
      try? fileSystem.list(directory).map(\.name)
    }
    guard directories.count >= fewest else {
      return directories.map { list($0) ?? [] }
    }
    // Without stamps, everything is listed.
    let stamps = (try? fileSystem.stamps(directories)) ?? directories.map { _ in nil }
    let known = state.withLock { state in
      state.count += 1
      return state.count.isMultiple(of: ListingMemory.scansBetween) ? [:] : state.known
    }
    var present: [String: (stamp: DirectoryStamp, names: [String])] = [:]
    present.reserveCapacity(directories.count)
    var all: [[String]] = []
    all.reserveCapacity(directories.count)
    for (directory, stamp) in zip(directories, stamps) {
      let names: [String]?
      if let stamp, let last = known[directory], last.stamp == stamp {
        names = last.names
      } else {
        names = list(directory)
      }
      // A directory that could not be listed is tried again, whatever its stamp.
      if let stamp, let names { present[directory] = (stamp, names) }
      all.append(names ?? [])
    }
    state.withLock { $0.known = present }
    return all
  }
}
