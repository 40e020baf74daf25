import TributaryCore

/// What is declared of how one table merges.
public struct TableMerge: Hashable, Sendable {
  /// What two writes of one row compete for.
  public enum Unit: String, Hashable, Sendable {
    /// The whole row: each update counts for all its columns.
    case row
    /// Each column by itself.
    case column
  }

  /// Where the keys of its rows come from.
  public enum Keys: String, Hashable, Sendable {
    /// SQLite counts: one number given on two devices means two rows.
    case generated
    /// One key means one row wherever it is given.
    case natural
  }

  /// `nil` is by column, or by row where a CHECK needs it.
  public var merge: Unit?
  public var keys: Keys
  /// The columns with a policy other than that the later write wins.
  public var columns: [SQLName: ColumnPolicy]
  /// By what its rows are known where it has no PRIMARY KEY; `nil` until that is chosen.
  public var knownBy: KnownBy?
  /// How many random bits, below a leading 1, a displaced row's new number has; `nil` gives displaced rows
  /// negative numbers.
  package var positiveBits: Int?
  /// The columns that hold numbers of rows, where no foreign key says so.
  public var references: [SQLName: DeclaredReference]
  /// Rows that are inserted apart with equal values there are one row; nothing is declared where there are none.
  public var identifyingColumns: Set<SQLName>
  /// A column that was given twice, which is refused when the table is known.
  private(set) var repetition: SQLName?

  /// - Parameter columns: each once, in any case of its letters.
  public init(
    merge: Unit? = nil, keys: Keys = .generated,
    columns: KeyValuePairs<String, ColumnPolicy> = [:], knownBy: KnownBy? = nil,
    hasPositiveNumbers: Bool = false, references: KeyValuePairs<String, DeclaredReference> = [:],
    identifyingColumns: [String] = []
  ) {
    self.merge = merge
    self.identifyingColumns = Set(identifyingColumns.map { SQLName($0) })
    positiveBits = hasPositiveNumbers ? Self.usualPositiveBits : nil
    self.knownBy = knownBy
    self.references = [:]
    self.keys = keys
    self.columns = [:]
    for (name, policy) in columns
    where self.columns.updateValue(policy, forKey: SQLName(name)) != nil {
      repetition = SQLName(name)
    }
    for (name, reference) in references
    where self.references.updateValue(reference, forKey: SQLName(name)) != nil {
      repetition = SQLName(name)
    }
  }

  /// Whether nothing but what holds anyway is declared.
  public var isEmpty: Bool {
    merge == nil && keys == .generated && policies.isEmpty && knownBy == nil
      && positiveBits == nil && references.isEmpty && identifyingColumns.isEmpty
  }

  /// From 2^29 up to 2^30: what an application counts on from there stays below 2^31 for long.
  private static let usualPositiveBits = 29

  /// Rows that lose their number to another one take positive numbers below 2^31, for programs that refuse
  /// negative ones.
  public var hasPositiveNumbers: Bool {
    get { positiveBits != nil }
    set { positiveBits = newValue ? positiveBits ?? Self.usualPositiveBits : nil }
  }

  /// The policy of a column.
  public func policy(of column: String) -> ColumnPolicy {
    columns[SQLName(column)] ?? .latest
  }

  /// Policies that are none left out.
  var policies: [SQLName: ColumnPolicy] { columns.filter { $0.value != .latest } }

  /// Whether both mean the same.
  public func isEquivalent(to other: TableMerge) -> Bool {
    merge == other.merge && keys == other.keys && policies == other.policies
      && knownBy == other.knownBy && positiveBits == other.positiveBits
      && references == other.references && identifyingColumns == other.identifyingColumns
  }

  /// This, and what is said there of what is left open here: by what rows are known, which numbers displaced
  /// rows take, what makes rows the same, and all else where nothing else is said here.
  func completed(by other: TableMerge) -> TableMerge {
    var result = self
    result.knownBy = knownBy ?? other.knownBy
    result.positiveBits = positiveBits ?? other.positiveBits
    if identifyingColumns.isEmpty { result.identifyingColumns = other.identifyingColumns }
    if positiveBits != nil || !identifyingColumns.isEmpty, merge == nil, keys == .generated,
      policies.isEmpty, references.isEmpty
    {
      result.merge = other.merge
      result.keys = other.keys
      result.columns = other.columns
      result.references = other.references
    }
    return result
  }
}

extension TableMerge: CustomStringConvertible {
  public var description: String {
    var parts: [String] = []
    if let merge { parts.append("by \(merge.rawValue)") }
    if keys == .natural { parts.append("with natural keys") }
    parts += policies.sorted { $0.key < $1.key }.map { "\($0.key.folded) as \($0.value.rawValue)" }
    if hasPositiveNumbers { parts.append("with positive numbers") }
    parts += references.sorted { $0.key < $1.key }.map { "\($0.key) referring to \($0.value)" }
    if !identifyingColumns.isEmpty {
      parts.append(
        "with rows identified by \(identifyingColumns.sorted().map(\.text).joined(separator: ", "))"
      )
    }
    if let knownBy { parts.append("with rows known by \(knownBy)") }
    return parts.isEmpty ? "as usual" : parts.joined(separator: ", ")
  }
}

// MARK: In a store and in peer.json

extension TableMerge {
  /// Numbers that displaced rows can take: below 2^62 with room to count on.
  private static let positiveRange = 1...59

  /// The rule of a column that makes rows the same.
  static let identifyingRule = "identify"

  /// The word for `positiveBits`; `nil` where there are none.
  package var positiveWord: String? {
    positiveBits.map { $0 == Self.usualPositiveBits ? "positive" : "positive \($0)" }
  }

  /// What a word says that may be one for `positiveBits`; `nil` where it is none.
  package static func positiveBits(of word: String) -> Int? {
    if word == "positive" { return usualPositiveBits }
    guard word.hasPrefix("positive "), let bits = Int(word.dropFirst("positive ".count)),
      positiveRange.contains(bits)
    else { return nil }
    return bits
  }
}
