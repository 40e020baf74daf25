import TributaryCore
import TributaryStore

/// The options of `attach` that determine how tables merge.
struct MergeArguments {
  private static let merge = CommandOption(
    "merge", argument: "TABLE=row|column", isRepeatable: true,
    help: "what concurrent writes of one row compete for: the whole row, or each column")
  private static let policy = CommandOption(
    "policy", argument: "TABLE.COLUMN=counter|max|min|last", isRepeatable: true,
    help:
      "add up the updates of a column, keep the largest or smallest value, or the last without a conflict"
  )
  private static let naturalKeys = CommandOption(
    "natural-keys", argument: "TABLE", isRepeatable: true,
    help: "one INTEGER PRIMARY KEY means the same row on all devices that insert it")

  private static let rowidKey = CommandOption(
    "rowid-key", argument: "TABLE", isRepeatable: true,
    help: "identify the rows of a table without PRIMARY KEY by the rowid, to which others refer")

  private static let positiveNumbers = CommandOption(
    "positive-numbers", argument: "TABLE", isRepeatable: true,
    help:
      "rows that lose a number given twice take positive ones, for programs that refuse negative ones"
  )

  private static let refers = CommandOption(
    "refers", argument: "CHILD.COLUMN=PARENT.COLUMN", isRepeatable: true,
    help: "the column refers to rows by number without a foreign key, and follows them")

  private static let identify = CommandOption(
    "identify", argument: "TABLE=COLUMN,...", isRepeatable: true,
    help: "rows that devices insert separately with equal values there become one row")

  private static let foreignKeys = CommandOption(
    "foreign-keys", argument: "enforce|keep",
    help:
      "enforce foreign keys on all devices, or keep rows without a parent; the data decides unless given"
  )

  static let all = [
    merge, policy, naturalKeys, rowidKey, positiveNumbers, identify, refers, foreignKeys,
  ]

  /// Returns the options; `nil` if none were given.
  static func options(_ arguments: Arguments) throws(UsageError) -> MergeOptions? {
    var options = MergeOptions()
    for text in arguments.all(merge) {
      let (table, word) = try halves(text, of: merge)
      guard let unit = TableMerge.Unit(rawValue: word) else { throw malformed(text, merge) }
      try change(&options, table) { entry throws(UsageError) in
        guard entry.merge == nil || entry.merge == unit else { throw contradiction(table) }
        entry.merge = unit
      }
    }
    for text in arguments.all(policy) {
      let (name, word) = try halves(text, of: policy)
      guard let dot = name.lastIndex(of: "."), let policy = ColumnPolicy(rawValue: word),
        policy != .latest
      else {
        throw malformed(text, Self.policy)
      }
      let column = String(name[name.index(after: dot)...])
      guard dot > name.startIndex, !column.isEmpty else { throw malformed(text, Self.policy) }
      try change(&options, String(name[..<dot])) { entry throws(UsageError) in
        let known = entry.policy(of: column)
        guard known == .latest || known == policy else { throw contradiction(name) }
        if known == .latest { entry.columns[SQLName(column)] = policy }
      }
    }
    for table in arguments.all(naturalKeys) {
      guard !table.isEmpty else { throw malformed(table, naturalKeys) }
      try change(&options, table) { entry throws(UsageError) in entry.keys = .natural }
    }
    for table in arguments.all(rowidKey) {
      guard !table.isEmpty else { throw malformed(table, rowidKey) }
      try change(&options, table) { entry throws(UsageError) in entry.knownBy = .rowIdentifier }
    }
    for table in arguments.all(positiveNumbers) {
      guard !table.isEmpty else { throw malformed(table, positiveNumbers) }
      try change(&options, table) { entry throws(UsageError) in entry.hasPositiveNumbers = true }
    }
    for text in arguments.all(identify) {
      let (table, list) = try halves(text, of: identify)
      let columns = list.split(separator: ",", omittingEmptySubsequences: false)
      guard !columns.contains("") else { throw malformed(text, identify) }
      let names = Set(columns.map { SQLName(String($0)) })
      try change(&options, table) { entry throws(UsageError) in
        guard entry.identifyingColumns.isEmpty || entry.identifyingColumns == names else {
          throw contradiction(table)
        }
        entry.identifyingColumns = names
      }
    }
    for text in arguments.all(refers) {
      let (table, column, reference) = try Self.reference(text)
      try change(&options, table) { entry throws(UsageError) in
        let known = entry.references[SQLName(column)]
        guard known == nil || known == reference else { throw contradiction("\(table).\(column)") }
        entry.references[SQLName(column)] = reference
      }
    }
    if let word = arguments[foreignKeys] {
      guard let known = ForeignKeys(rawValue: word) else { throw malformed(word, foreignKeys) }
      options.foreignKeys = known
    }
    return options.tables.isEmpty && options.foreignKeys == nil ? nil : options
  }

  /// Splits names that may contain dots or equals signs: at the first equals sign, and at the last
  /// dot on each side of it.
  private static func reference(
    _ text: String
  ) throws(UsageError) -> (table: String, column: String, DeclaredReference) {
    guard let sign = text.firstIndex(of: "="),
      let child = qualified(text[..<sign]), let parent = qualified(text[text.index(after: sign)...])
    else { throw malformed(text, refers) }
    return (child.0, child.1, DeclaredReference(parent.0, parent.1))
  }

  private static func qualified(_ text: Substring) -> (String, String)? {
    guard let dot = text.lastIndex(of: "."), dot > text.startIndex else { return nil }
    let column = text[text.index(after: dot)...]
    return column.isEmpty ? nil : (String(text[..<dot]), String(column))
  }

  /// Changes the declaration of a table, whose name may have been spelled differently before.
  private static func change(
    _ options: inout MergeOptions, _ table: String,
    _ body: (inout TableMerge) throws(UsageError) -> Void
  ) throws(UsageError) {
    try body(&options.tables[SQLName(table), default: TableMerge()])
  }

  private static func halves(
    _ text: String, of option: CommandOption
  ) throws(UsageError) -> (String, String) {
    guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
      throw malformed(text, option)
    }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }

  private static func malformed(_ text: String, _ option: CommandOption) -> UsageError {
    UsageError("'\(text)' is not what --\(option.long) takes: \(option.argument ?? "")")
  }

  private static func contradiction(_ name: String) -> UsageError {
    UsageError("there are two different declarations for \(name)")
  }
}
