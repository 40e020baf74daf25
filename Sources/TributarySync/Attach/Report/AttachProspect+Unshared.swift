import TributaryContainer
import TributaryCore
import TributaryStore

extension AttachProspect {
  /// Returns a warning for each table that would be shared here although all other devices that have it leave
  /// it out: its rows reach none of them.
  func unsharedTables(among schema: ReplicatedSchema) -> [AttachNote] {
    guard way != .reopening, let manifests else { return [] }
    var leftOut: Set<SQLName> = []
    var shared: Set<SQLName> = []
    let gone = manifests.all.goneIdentities
    for manifest in manifests.all.values where !gone.contains(manifest.peer) {
      // When the manifests were read, this store was not among them yet.
      let replicated = Set(manifest.schema.tables.map { SQLName($0) })
      shared.formUnion(replicated)
      for sql in manifest.schema.sql {
        guard let object = SchemaObject(sql: sql), object.type == "table" else { continue }
        let name = SQLName(object.name)
        if !replicated.contains(name) { leftOut.insert(name) }
      }
    }
    return schema.tables.filter {
      leftOut.contains(SQLName($0.name)) && !shared.contains(SQLName($0.name))
    }.map { table in
      let option = AttachOption.except(table.name)
      return AttachNote(
        .warning, table: table.name,
        "table \(table.name) is shared here, and the devices that have it leave it out: its rows reach none of them; "
          + "to leave it out here, too, attach with \(option)",
        options: [option])
    }
  }
}
