import TributaryCore

/// The declaration of how one table merges.
public struct TableMerge: Hashable, Sendable {
  /// The unit in which two writes of one row compete.
  public enum Unit: String, Hashable, Sendable {
    /// The whole row: each update counts for all its columns.
    case row
    /// Each column separately.
    case column
  }

  /// The origin of the keys of the table's rows.
  public enum Keys: String, Hashable, Sendable {
    /// SQLite counts: the same number assigned on two devices means two rows.
    case generated
    /// A key means the same row wherever it is assigned.
    case natural
  }

  /// The unit; `nil` means the column, or the row if a CHECK constraint requires that.
  public var merge: Unit?
  /// The origin of the keys of its rows.
  public var keys: Keys
  /// The columns whose policy is not that the later write wins.
  public var columns: [SQLName: ColumnPolicy]
  /// What identifies the rows if there is no PRIMARY KEY; `nil` until it is chosen.
  public var knownBy: KnownBy?
  /// The number of random bits, below a leading 1, in the new number of a displaced row; `nil` gives
  /// displaced rows negative numbers.
  package var positiveBits: Int?
  /// The columns that hold numbers of rows, where no foreign key says so.
  public var references: [SQLName: DeclaredReference]
  /// The columns that make rows the same: rows that devices insert independently with equal values in these
  /// columns are one row. Empty if none are declared.
  public var identifyingColumns: Set<SQLName>
  /// A column that was given twice; this is refused once the table is known.
  private(set) var repetition: SQLName?

  /// Makes a declaration.
  ///
  /// - Parameter columns: each column once, in upper or lower case.
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

  /// Whether the declaration contains only defaults.
  public var isEmpty: Bool {
    merge == nil && keys == .generated && policies.isEmpty && knownBy == nil
      && positiveBits == nil && references.isEmpty && identifyingColumns.isEmpty
  }

  /// Numbers from 2^29 up to 2^30: the numbers that an application counts up from there stay below 2^31 for a
  /// long time.
  private static let usualPositiveBits = 29

  /// Whether rows that lose their number to another row take positive numbers below 2^31, for programs that
  /// refuse negative ones.
  public var hasPositiveNumbers: Bool {
    get { positiveBits != nil }
    set { positiveBits = newValue ? positiveBits ?? Self.usualPositiveBits : nil }
  }

  /// Returns the policy of a column.
  public func policy(of column: String) -> ColumnPolicy {
    columns[SQLName(column)] ?? .latest
  }

  /// The policies other than the default.
  var policies: [SQLName: ColumnPolicy] { columns.filter { $0.value != .latest } }

  /// Whether both mean the same.
  package func isEquivalent(to other: TableMerge) -> Bool {
    merge == other.merge && keys == other.keys && policies == other.policies
      && knownBy == other.knownBy && positiveBits == other.positiveBits
      && references == other.references && identifyingColumns == other.identifyingColumns
  }

  /// Returns this declaration, completed with the other one wherever this one is open: what identifies rows,
  /// which numbers displaced rows take, what makes rows the same and, if nothing else is declared here,
  /// everything else.
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
  /// The possible numbers of bits: below 2^62, with room to count up.
  private static let positiveRange = 1...59

  /// The rule of a column that makes rows the same.
  static let identifyingRule = "identify"

  /// The word for `positiveBits`; `nil` if there are none.
  package var positiveWord: String? {
    positiveBits.map { $0 == Self.usualPositiveBits ? "positive" : "positive \($0)" }
  }

  /// Returns the `positiveBits` that a word means; `nil` if it is not such a word.
  package static func positiveBits(of word: String) -> Int? {
    if word == "positive" { return usualPositiveBits }
    guard word.hasPrefix("positive "), let bits = Int(word.dropFirst("positive ".count)),
      positiveRange.contains(bits)
    else { return nil }
    return bits
  }
}
