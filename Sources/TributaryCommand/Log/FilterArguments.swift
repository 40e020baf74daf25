import TributaryCore
import TributaryFiles
import TributaryInspection

/// The options that select transactions and changes of logs.
enum FilterArguments {
  static let peer = CommandOption(
    "peer", argument: "HEX", isRepeatable: true,
    help: "only of this peer; its first digits are enough")
  static let table = CommandOption(
    "table", argument: "NAME", isRepeatable: true,
    help: "only changes of this table, by any name that it has had")
  static let key = CommandOption(
    "key", argument: "KEY", isRepeatable: true,
    help: "only changes of the row with this key")
  static let from = CommandOption(
    "from", argument: "SEQ", help: "only from this sequence on")
  static let to = CommandOption("to", argument: "SEQ", help: "only up to this sequence")
  static let since = CommandOption(
    "since", argument: "TIME", help: "only from this time on")
  static let until = CommandOption("until", argument: "TIME", help: "only up to this time")

  /// All the options, in the order of the help.
  static let options = [peer, table, key, from, to, since, until]

  /// The help text about them.
  static let details = """
    KEY is a value as `log show` prints it, or a text without its quotes. A key of
    several columns is written in parentheses: (1, 'a'). TIME is in the form of RFC
    3339, or in milliseconds since 1970.
    """

  /// Reads the filter.
  ///
  /// - Throws: `UsageError` for an invalid argument.
  static func filter(_ arguments: Arguments) throws(UsageError) -> TransactionFilter {
    var filter = try rows(arguments)
    for text in arguments.all(peer) {
      guard let digits = TransactionFilter.peerPrefix(text) else {
        throw UsageError("--peer takes 1 to 32 hexadecimal digits, not '\(text)'")
      }
      filter.peerPrefixes.append(digits)
    }
    let first = try sequence(arguments, from) ?? .zero
    let last = try sequence(arguments, to) ?? .max
    guard first <= last else { throw UsageError("--from is after --to") }
    filter.sequences = first...last
    let earliest = try time(arguments, since) ?? 0
    let latest = try time(arguments, until) ?? HybridTime.maximumMilliseconds
    guard earliest <= latest else { throw UsageError("--since is after --until") }
    filter.times = earliest...latest
    return filter
  }

  /// Reads only the options `table` and `key`.
  ///
  /// - Throws: `UsageError` for an invalid key.
  static func rows(_ arguments: Arguments) throws(UsageError) -> TransactionFilter {
    var filter = TransactionFilter()
    filter.tables = arguments.all(table)
    for text in arguments.all(key) { filter.keys.append(try keyFilter(text)) }
    return filter
  }

  private static func sequence(
    _ arguments: Arguments, _ option: CommandOption
  ) throws(UsageError) -> SequenceNumber? {
    guard let text = arguments[option] else { return nil }
    guard let number = UInt64(text), number <= SequenceNumber.max.rawValue else {
      throw UsageError("--\(option.long) takes a sequence, not '\(text)'")
    }
    return SequenceNumber(number)
  }

  private static func time(
    _ arguments: Arguments, _ option: CommandOption
  ) throws(UsageError) -> UInt64? {
    guard let text = arguments[option] else { return nil }
    guard let time = Timestamp.milliseconds(text), time <= HybridTime.maximumMilliseconds else {
      throw UsageError(
        "--\(option.long) takes a time as in RFC 3339 or milliseconds since 1970, not '\(text)'")
    }
    return time
  }

  // MARK: Keys

  private static func keyFilter(_ text: String) throws(UsageError) -> KeyFilter {
    let bytes = text.utf8
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "("), bytes.last == UInt8(ascii: ")")
    else { return KeyFilter([try candidates(text)]) }
    var columns: [[Value]] = []
    for part in parts(bytes.dropFirst().dropLast()) { columns.append(try candidates(part)) }
    return KeyFilter(columns)
  }

  /// Returns what a word may mean: a literal, or the text itself.
  ///
  /// - Throws: `UsageError` for a word that begins like a literal but is not one.
  static func candidates(_ word: String) throws(UsageError) -> [Value] {
    let value = try ParameterText.value(word)
    switch value {
    case .integer, .real, .null: return [value, .text(Array(word.utf8))]
    case .text, .blob: return [value]
    }
  }

  /// Splits at commas that are not in quotes, and removes spaces around the parts.
  private static func parts(_ bytes: some Collection<UInt8>) -> [String] {
    var parts: [[UInt8]] = [[]]
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "'") { isQuoted.toggle() }
      if byte == UInt8(ascii: ","), !isQuoted {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return parts.map { part in
      let start = part.prefix { $0 == 0x20 }.count
      let end = part.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? start
      return String(decoding: part[start..<max(start, end)], as: UTF8.self)
    }
  }
}
