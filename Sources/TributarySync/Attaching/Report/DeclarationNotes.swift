import TributaryStore

/// How tables merge, where somebody has declared it.
struct DeclarationNotes {
  let notes: [AttachNote]

  init(_ schema: ReplicatedSchema) {
    notes = schema.tables.compactMap { table in
      var declared = table.merge
      // What rows are known by is said apart.
      declared.knownBy = nil
      guard table.refusal == nil, !declared.isEmpty else { return nil }
      return AttachNote(.declared, table: table.name, "table \(table.name) merges \(declared)")
    }
  }
}
