internal import TributaryCore
internal import TributarySQLite

/// Tables of any form that SQLite knows, with triggers that write into them.
package struct FormSchema: Sendable {
  package private(set) var tables: [FormTable] = []
  private var triggers: [String] = []

  package init(using random: inout SeededGenerator) {
    var names = FormNames(ofColumns: false, using: &random)
    for number in 0..<random.number(1...3) {
      let name = names.next(plain: random.once(in: 3))
      var maker = FormTableMaker(number, named: name, parents: tables, using: &random)
      tables.append(maker.make(using: &random))
    }
    while random.once(in: 4) { addTrigger(using: &random) }
  }

  package var createStatements: [String] { tables.flatMap(\.createStatements) + triggers }

  /// Whether records can be read as changes whose columns are found by their names.
  package var hasDistinctNames: Bool { tables.allSatisfy(\.hasDistinctNames) }

  /// Whether triggers write, once for each row that another statement finds, in any order.
  package var hasTriggers: Bool { !triggers.isEmpty }

  package var hasStrictTable: Bool { tables.contains { $0.columns.contains(where: \.isStrict) } }

  /// Whether a UNIQUE constraint never rejects statements because of their order.
  package var hasOneKeyEach: Bool { !tables.contains(where: \.hasSecondKey) }

  package subscript(name: String) -> Int? {
    tables.firstIndex { SQLName($0.name) == SQLName(name) }
  }

  /// Adds a trigger that writes into a table, perhaps the row's own.
  private mutating func addTrigger(using random: inout SeededGenerator) {
    let source = random.pick(tables)
    let target = random.pick(tables)
    let event = random.pick(["INSERT", "UPDATE", "DELETE"])
    let time = source.name == target.name ? "AFTER" : random.pick(["BEFORE", "AFTER"])
    let row = event == "DELETE" ? "OLD" : "NEW"
    let value = "\(row).\(random.pick(source.columns).quoted)"
    let free = target.columns.indices.filter {
      !target.columns[$0].isGenerated && !target.keyColumns.contains($0)
    }
    guard let column = free.randomElement(using: &random),
      source.columns.allSatisfy({ !$0.isClock })
    else { return }
    let update = "UPDATE OR IGNORE \(target.quoted) SET \(target.columns[column].quoted) = \(value)"
    let delete = "DELETE FROM \(target.quoted) WHERE \(target.columns[column].quoted) IS \(value)"
    triggers.append(
      """
      CREATE TRIGGER \("on \(event) \(triggers.count) of \(source.name)".quotedIdentifier) \
      \(time) \(event) ON \(source.quoted) BEGIN \(random.once(in: 4) ? delete : update); END
      """)
  }
}
