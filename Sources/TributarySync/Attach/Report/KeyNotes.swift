import TributaryStore

/// Remarks on tables whose rows SQLite numbers, and on those without a PRIMARY KEY.
struct KeyNotes {
  let notes: [AttachNote]

  init(_ schema: ReplicatedSchema) {
    let usable = schema.tables.filter { $0.refusal == nil }
    notes =
      Self.choices(usable)
      + Self.numbered(usable.filter { $0.numbersItsRows && !$0.keepsEqualRowsApart }.map(\.name))
  }

  private static func choices(_ tables: [TableDescription]) -> [AttachNote] {
    tables.compactMap { table in
      guard let knownBy = table.knownBy else { return nil }
      let text = "\(TableKey(table: table.name, knownBy: knownBy))"
      return switch knownBy {
      case .rowIdentifier: AttachNote(.declared, table: table.name, text)
      case .unique: AttachNote(.chosen, table: table.name, text)
      case .themselves:
        AttachNote(
          .chosen, table: table.name, text, options: [AttachOption("rowid-key", table.name)])
      }
    }
  }

  private static func numbered(_ names: [String]) -> [AttachNote] {
    if names.isEmpty { return [] }
    return [
      AttachNote(
        .warning, table: names.count == 1 ? names[0] : nil,
        "rows of \(names.count == 1 ? "table" : "tables") \(names.joined(separator: ", ")) are numbered by each "
          + "device for itself: where two give one number to different rows, both stay, and the later one gets "
          + "another number; keys made with tributary_id() never clash")
    ]
  }
}
