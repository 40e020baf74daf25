import TributaryCore
import TributaryLog
import TributaryStore

/// The difference between the key of a table and that of the same table on another device. It keeps one of
/// them from storing the other's rows under their keys.
enum KeyDifference {
  /// The key consists of other columns, or of the same in another order or with other collations.
  case columns(here: String, there: String)
  /// On one side, each device numbers its rows by itself; on the other side, none does. If two rows get the
  /// same number, the former devices keep both rows and the latter keep one.
  case numbering(here: Bool)
  /// A column derives another key from some values.
  case type(column: String, here: Affinity, there: Affinity)

  /// Compares the keys of two tables; `nil` if each can store every key of the other.
  ///
  /// - Parameter names: what migrations have renamed, here and there.
  init?(_ table: TableDescription, _ other: TableDescription, _ names: NameChanges) {
    guard (table.knownBy == nil) == (other.knownBy == nil) else {
      self = .columns(here: Self.phrase(table), there: Self.phrase(other))
      return
    }
    let theirs = other.shape.keys.map { (other.shape.columns[$0.column], $0.collation) }
    let ours = table.shape.keys.map { key -> (String, Collation) in
      let name = table.shape.columns[key.column]
      if case .present(let present) = names.meaning(of: name, in: table.name, among: other) {
        return (present, key.collation)
      }
      return (name, key.collation)
    }
    guard ours.elementsEqual(theirs, by: { SQLName($0.0) == SQLName($1.0) && $0.1 == $1.1 }) else {
      self = .columns(here: Self.phrase(table), there: Self.phrase(other))
      return
    }
    let (here, there) = (table.affinities, other.affinities)
    for (key, theirs) in zip(table.shape.keys, other.shape.keys) {
      let (own, foreign) = (here[key.column], there[theirs.column])
      if own.keepsValues(of: foreign) { continue }
      self = .type(column: table.shape.columns[key.column], here: own, there: foreign)
      return
    }
    // Where keys are declared to be natural, or to refer to other rows, no device numbers anything. The
    // declarations are compared separately.
    if !table.declaresItsKeys, !other.declaresItsKeys,
      table.numbersItsRows != other.numbersItsRows
    {
      self = .numbering(here: table.numbersItsRows)
      return
    }
    return nil
  }

  /// The key as SQL, with any collations other than the default.
  private static func phrase(_ table: TableDescription) -> String {
    if let knownBy = table.knownBy, table.hasHiddenKey { return "rows known by \(knownBy)" }
    let columns = table.shape.keys.map { key in
      table.shape.columns[key.column]
        + (key.collation == .binary ? "" : " COLLATE \(key.collation.sqlName)")
    }
    return "\(table.knownBy == nil ? "PRIMARY KEY" : "UNIQUE") (\(columns.joined(separator: ", ")))"
  }

  /// The subject of the difference, as the beginning of a sentence.
  func subject(of table: String) -> String {
    switch self {
    case .columns, .numbering: "table \(table) has another key"
    case .type: "the key of table \(table) has another type"
    }
  }

  /// Both sides, as a phrase.
  var sides: String {
    switch self {
    case .columns(let here, let there): "\(here) here, and \(there) there"
    case .numbering(let here):
      here
        ? "INTEGER PRIMARY KEY here, by which SQLite numbers rows, and a key of another declaration there"
        : "a key of another declaration here, and INTEGER PRIMARY KEY there, by which SQLite numbers rows"
    case .type(let column, let here, let there):
      "column \(column) is \(here.word) here, and \(there.word) there"
    }
  }
}

extension TableDescription {
  /// Whether the table declares where the numbers of its rows come from.
  fileprivate var declaresItsKeys: Bool {
    hasNaturalKeys
      || shape.keys.contains { merge.references[SQLName(shape.columns[$0.column])] != nil }
  }
}

extension Affinity {
  /// Whether columns of both affinities keep the same values. Whole numbers stay the same as integers and as
  /// numbers of any kind. Only a column without a type keeps every value that such a column takes.
  func keepsValues(of other: Affinity) -> Bool {
    switch (self, other) {
    case (.integer, .numeric), (.numeric, .integer): true
    default: self == other
    }
  }

  /// The type, as a phrase.
  var word: String { self == .blob ? "BLOB or of no type" : rawValue.uppercased() }
}
