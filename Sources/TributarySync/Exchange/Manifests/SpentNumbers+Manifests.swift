import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

extension SpentNumbers {
  /// Adopts the numbers that all devices have used. This includes the numbers of rows that no log mentions,
  /// because they were deleted before their database was attached, or in the transaction that inserted them.
  func take(from manifests: PeerManifests) throws {
    var largest: [SQLName: Int64] = [:]
    for manifest in manifests.all.values {
      for (table, number) in manifest.schema.spent {
        largest[SQLName(table), default: 0] = max(largest[SQLName(table)] ?? 0, number)
      }
    }
    guard !largest.isEmpty else { return }
    for (table, number) in try all() where largest[SQLName(table)] ?? 0 <= number {
      largest[SQLName(table)] = nil
    }
    guard !largest.isEmpty, try areKept else { return }
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    let tables = schema.tables.filter {
      $0.refusal == nil && $0.autoincrements && largest[SQLName($0.name)] != nil
    }
    guard !tables.isEmpty else { return }
    try connection.immediate {
      for table in tables { try spend(largest[SQLName(table.name)] ?? 0, of: table.name) }
    }
  }
}
