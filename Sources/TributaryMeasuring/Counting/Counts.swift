/// The number of costly operations of the process, in all its threads; it is the same in every run.
package struct Counts {
  /// Allocations without those of SQLite.
  package var allocations: UInt64
  package var databaseAllocations: UInt64
  /// Instructions of SQLite's virtual machine.
  package var steps: UInt64
  package var systemCalls: UInt64
  /// System calls that wait for the disk.
  package var syncs: UInt64

  package init(
    allocations: UInt64, databaseAllocations: UInt64, steps: UInt64, systemCalls: UInt64,
    syncs: UInt64
  ) {
    self.allocations = allocations
    self.databaseAllocations = databaseAllocations
    self.steps = steps
    self.systemCalls = systemCalls
    self.syncs = syncs
  }

  static func - (left: Counts, right: Counts) -> Counts {
    // The smaller piece of work may have done more of something. The difference is then zero.
    func difference(_ count: KeyPath<Counts, UInt64>) -> UInt64 {
      left[keyPath: count] - min(left[keyPath: count], right[keyPath: count])
    }
    return Counts(
      allocations: difference(\.allocations),
      databaseAllocations: difference(\.databaseAllocations), steps: difference(\.steps),
      systemCalls: difference(\.systemCalls), syncs: difference(\.syncs))
  }
}
