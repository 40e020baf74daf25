import Foundation
import Synchronization
internal import TributaryTesting

/// Counts the faults that fleets were exposed to.
package struct FaultTally: Sendable {
  package private(set) var counts: [String: Int] = [:]

  package init() {}

  /// The names of all kinds that must occur.
  package static var kinds: Set<String> {
    let codes = FileFault.codes.flatMap { [FileFault.failure($0), .failures($0)] }
    let states = MountState.allCases.filter { $0 != .normal }
    let faults: [FileFault] =
      [.shortReads, .shortWrite, .kill, .powerCut, .carrying, .writing]
      + states.map { .mountLost($0) } + codes
    return Set(faults.map(\.name)).union(MountState.allCases.map(\.name)).union(others)
  }

  private static let others = [
    "carrier: zero-length file", "carrier: file cut short",
    "carrier: other bytes under the same size", "carrier: under the name of a conflict copy",
    "carrier: an older version", "carrier: twice, once under another name", "carrier: twice",
    "carrier: a file lost", "carrier: a file lost at its writer",
    "carrier: a file cut short at its writer", "carrier: a removed temporary file came back",
    "carrier: an earlier file came back", "carrier: a removal", "compacted segment removed",
    "clock moved back", "clock moved forwards", "killed",
    "power cut", "container brought back from a backup", "own directory wiped", "store lost",
    "store rebuilt", "store brought back from a backup",
    "store brought back from a backup, with its container", "store copied to another device",
    "three stores that come from one", "store lost after stores had become two",
    "store brought back from a backup, its clock behind that",
    "branch issued again by another than its store",
    "copy that can be seen", "copy that a witness knows", "another identity taken",
  ]

  package mutating func note(_ kind: String, _ count: Int = 1) { counts[kind, default: 0] += count }

  package mutating func add(_ other: FaultTally) {
    counts.merge(other.counts, uniquingKeysWith: +)
  }

  /// One line for each kind, sorted by name.
  package var table: String {
    counts.keys.sorted().map { "\(counts[$0]!)\t\($0)" }.joined(separator: "\n")
  }

  private static let shared = Mutex(FaultTally())

  /// Adds to the count of this process.
  package static func add(_ other: FaultTally) { shared.withLock { $0.add(other) } }

  /// The count of this process.
  package static var total: FaultTally { shared.withLock { $0 } }
}
