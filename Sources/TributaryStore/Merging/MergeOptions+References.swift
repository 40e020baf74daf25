import TributaryCore
import TributarySQLite

extension MergeOptions {
  /// Returns the reasons against declared references, for tables as they were read under these options: the
  /// references must be to rows that can get another number.
  func referenceRefusals(
    in schema: ReplicatedSchema, _ connection: Connection, path: String
  ) throws -> [AttachRefusal] {
    guard tables.values.contains(where: { !$0.references.isEmpty }) else { return [] }
    let roots = KeyRoots(try ConstraintSet(connection, schema: schema))
    var refusals: [AttachRefusal] = []
    for (name, merge) in tables.sorted(by: { $0.key < $1.key }) {
      for (column, reference) in merge.references.sorted(by: { $0.key < $1.key }) {
        guard let refusal = refusal(name, column, reference, schema, roots) else { continue }
        refusals.append(
          AttachRefusal(
            StoreError(
              .mergeOptions,
              "\(name).\(column) cannot refer to \(reference): \(refusal.message)", path: path,
              remedy: refusal.remedy), table: name.text))
      }
    }
    return refusals
  }

  private func refusal(
    _ name: SQLName, _ column: SQLName, _ reference: DeclaredReference, _ schema: ReplicatedSchema,
    _ roots: KeyRoots
  ) -> Refusal? {
    // A missing table gets a refusal of its own.
    guard let child = schema.table(named: name.text), child.refusal == nil else { return nil }
    guard let place = child.shape.columns.firstIndex(where: { SQLName($0) == column }) else {
      return Refusal(
        "table \(name) stores no column \(column)",
        remedy: "name columns that exist, none that is generated")
    }
    guard child.policies[place] == .latest else {
      return Refusal(
        "the column has the policy \(child.policies[place].rawValue), and numbers of rows do not merge so",
        remedy: "leave one of the two declarations out")
    }
    guard
      let number = schema.tables.firstIndex(where: {
        SQLName($0.name) == reference.table && $0.refusal == nil
      })
    else {
      return Refusal(
        "there is no table \(reference.table) that is replicated",
        remedy: "name tables that exist and are not left out")
    }
    let parent = schema.tables[number]
    guard let parentPlace = parent.place(ofReferred: reference.column) else {
      let isNumber = reference.column == "rowid"
      return Refusal(
        isNumber
          ? "the rowid does not identify its rows"
          : "table \(reference.table) stores no column \(reference.column)",
        remedy: isNumber && parent.knownBy != nil
          ? "say --rowid-key \(reference.table) too" : "name columns that exist")
    }
    if name == reference.table, place == parentPlace {
      return Refusal("it is the same column", remedy: "leave it out")
    }
    guard
      let root = roots.columns[number].first(where: { $0.column == parentPlace })?.root
    else {
      return Refusal(
        "no device gives those values another number, so there is nothing to follow",
        remedy: "leave it out, or name the INTEGER PRIMARY KEY of the table")
    }
    if schema.tables[root].keepsEqualRowsApart {
      return Refusal(
        "rows of table \(schema.tables[root].name) are known by themselves, and their numbers mean nothing",
        remedy: "say --rowid-key \(schema.tables[root].name) too")
    }
    return nil
  }
}
