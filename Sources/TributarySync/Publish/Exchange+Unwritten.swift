import TributaryCore
import TributaryStore

extension Exchange {
  /// Returns how many own transactions are in no file because they are adopted rows whose baseline does not
  /// exist (`Adoption`).
  ///
  /// - Throws: if the container cannot be examined. The files must be listed.
  func unwritten() throws -> UInt64 {
    guard let settled = try HorizonRecord(connection).settled, settled.members == [own],
      try !memory.baselines.all(of: self).contains(where: { $0.covers(settled) })
    else { return 0 }
    return try RemovedTransactions(connection).last.rawValue
  }
}
