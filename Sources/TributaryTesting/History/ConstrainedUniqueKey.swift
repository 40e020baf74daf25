internal import TributaryCore

/// A UNIQUE constraint or unique index, as SQL and in the model.
struct ConstrainedUniqueKey: Sendable {
  /// Whether it is declared beside the columns of a table, or as a separate statement.
  enum Place: Sendable {
    case table(String)
    case index(String)
  }

  var place: Place
  var model: ReferenceUniqueKey
  /// The conflict clause of a constraint; an index cannot have one.
  var clause: ConflictClause?

  /// The columns of a constraint that a foreign key may refer to; empty for others.
  var columns: [ConstrainedColumn] = []

  /// Makes a unique key.
  ///
  /// - Parameters:
  ///   - name: the name of the index.
  ///   - columns: the columns: at least one, but not all of the primary key.
  init(
    name: String, table: String, columns: [ConstrainedColumn],
    using random: inout some RandomNumberGenerator
  ) {
    let shuffled = columns.shuffled(using: &random)
    let first = shuffled[0]
    let chosen = Array(shuffled.prefix(random.once(in: 3) ? 2 : 1))
    let list = chosen.map(\.name).joined(separator: ", ")
    func index(_ expressions: String) -> Place {
      .index("CREATE UNIQUE INDEX \(name) ON \(table) (\(expressions))")
    }
    switch random.number(0...7) {
    case 0:
      // A collation other than the column's.
      let part = ReferenceKeyColumn(first.name, collation: .nocase)
      place = index("\(first.name) COLLATE NOCASE")
      model = ReferenceUniqueKey([part])
    case 1, 2:
      let other = shuffled[shuffled.count - 1].name
      let shown = random.once(in: 2)
      place = index("\(list)) WHERE (\(other) IS \(shown ? "NOT " : "")NULL")
      model = ReferenceUniqueKey(chosen.map(\.keyColumn), lookingAt: [other]) {
        ($0[other]! != .null) == shown
      }
    case 3 where first.kind.isText:
      let name = first.name
      place = index("lower(\(name))")
      model = ReferenceUniqueKey(of: [name]) { row in
        guard case .text(let bytes) = row[name]! else { return nil }
        return [ReferenceCollation.nocase.canonical(.text(bytes))]
      }
    case 3, 4:
      let integers = shuffled.filter { $0.kind == .integer }.map(\.name)
      guard integers.count > 1 else { fallthrough }
      place = index("\(integers[0]) + \(integers[1])")
      model = ReferenceUniqueKey(of: [integers[0], integers[1]]) { row in
        guard case .integer(let a) = row[integers[0]]!, case .integer(let b) = row[integers[1]]!
        else { return nil }
        return [.integer(a + b)]
      }
    default:
      place = random.once(in: 3) ? index(list) : .table("UNIQUE (\(list))")
      model = ReferenceUniqueKey(chosen.map(\.keyColumn))
      self.columns = chosen
    }
  }

  var isIndex: Bool { if case .index = place { true } else { false } }
}
