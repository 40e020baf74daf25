import TributaryStore

/// Remarks on how tables merge, where that was declared.
struct DeclarationNotes {
  let notes: [AttachNote]

  init(_ schema: ReplicatedSchema) {
    notes = schema.tables.compactMap { table in
      var declared = table.merge
      // What identifies rows is reported separately.
      declared.knownBy = nil
      guard table.refusal == nil, !declared.isEmpty else { return nil }
      return AttachNote(.declared, table: table.name, "table \(table.name) merges \(declared)")
    }
  }
}
