import TributaryContainer
import TributaryCore
import TributaryStore

extension Exchange {
  /// Returns when the store last changed its schema itself, in milliseconds since 1970, and records that
  /// time; `nil` if it has changed nothing since it was attached.
  ///
  /// A change is dated later than any change that the store knows of, whatever the clocks say. Taking the
  /// same schema as another device is no change: that device made the change.
  ///
  /// - Parameters:
  ///   - schema: the schema that the store is about to state.
  ///   - present: the schema that it states now; `nil` if that is not known.
  func schemaChange(of schema: ManifestSchema, after present: ManifestSchema?) throws -> UInt64? {
    if let present, present.sql == schema.sql { return present.changed }
    let known = try SchemaChangeTime(connection)
    if let known, known.isOf(schema.sql) { return known.stated }
    let others = lookedAt().manifests.others(than: own).map(\.schema)
    let isFirst = known == nil && present?.sql.isEmpty ?? true
    var milliseconds: UInt64 = 0
    if let same = others.filter({ $0.sql == schema.sql }).map({ $0.changed ?? 0 }).max() {
      milliseconds = same
    } else if !isFirst, !schema.sql.isEmpty {
      let last = (others.compactMap(\.changed) + [known?.milliseconds ?? 0]).max() ?? 0
      milliseconds = min(
        max(environment.clock.milliseconds(), last + 1), HybridTime.maximumMilliseconds)
    }
    let new = SchemaChangeTime(schema.sql, milliseconds: milliseconds)
    try new.write(to: connection)
    return new.stated
  }

  /// Returns the exchange with the manifests of the other devices, which publishing alone does not read.
  private func lookedAt() -> Exchange {
    guard manifests.all.isEmpty else { return self }
    var exchange = self
    // If the manifests cannot be read now, the clock alone dates the change. The synchronisation reports why.
    _ = try? exchange.look()
    return exchange
  }
}

extension SchemaChangeTime {
  fileprivate var stated: UInt64? { milliseconds == 0 ? nil : milliseconds }
}
