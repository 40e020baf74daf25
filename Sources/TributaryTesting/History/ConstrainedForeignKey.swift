internal import TributaryCore

/// A foreign key, as SQL and in the model.
struct ConstrainedForeignKey: Sendable {
  /// Whether the table declares it.
  var isDeclared = true
  var definition: String
  var model: ReferenceForeignKey
  var onUpdate: ReferenceForeignKey.Action

  init(
    _ columns: [String], to parent: String, _ parentColumns: [ConstrainedColumn],
    using random: inout some RandomNumberGenerator
  ) {
    let actions = ReferenceForeignKey.Action.allCases
    model = ReferenceForeignKey(
      columns, to: parent, parentColumns.map(\.keyColumn), onDelete: random.pick(actions))
    onUpdate = random.pick(actions)
    definition = """
      FOREIGN KEY (\(columns.joined(separator: ", "))) REFERENCES \(parent) \
      (\(parentColumns.map(\.name).joined(separator: ", "))) \
      ON DELETE \(model.onDelete.rawValue) ON UPDATE \(onUpdate.rawValue)
      """
    if random.once(in: 2) { definition += " DEFERRABLE INITIALLY DEFERRED" }
  }
}
