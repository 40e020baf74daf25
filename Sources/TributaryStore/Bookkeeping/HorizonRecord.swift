import TributaryCore
package import TributaryHorizon
import TributaryLog
import TributarySQLite

/// What a store remembers about horizons, in its own database: its promises must outlive the process that
/// made them.
package struct HorizonRecord: Equatable, Sendable {
  package var state: HorizonState
  /// The declaration below whose horizon it has forgotten everything, or with whose baseline it began.
  package var settled: Declaration?

  package init(state: HorizonState = HorizonState(), settled: Declaration? = nil) {
    self.state = state
    self.settled = settled
  }

  /// All declarations in this record.
  package var declarations: [Declaration] {
    state.promises + [state.obeyed, settled].compactMap { $0 }
  }

  private enum Word: String { case obeys, promises, dropped, settled }

  /// What a connection last read. Few commits change it, and it names all members.
  private struct Reading: Sendable {
    var text: [UInt8]
    var record: HorizonRecord
  }

  /// Reads what a store remembers.
  ///
  /// - Complexity: O(*n*) in the members and the peers of horizons; only compares bytes if there were commits
  ///   that have not changed it, and not even that if there were none.
  /// - Throws: `StoreError` with the code `damaged` if it cannot be read: no promise is forgotten.
  package init(_ connection: Connection) throws {
    self = try connection.remembered { try Self(reading: connection) }
  }

  private init(reading connection: Connection) throws {
    let values = try Settings(connection).values(.horizon, .removed)
    self.init()
    if case .text(let text) = values.first {
      if let known = connection.cache[Reading.self], known.text == text {
        self = known.record
      } else {
        guard let record = Self(decoding: text) else { throw Self.lost(connection) }
        connection.cache[Reading.self] = Reading(text: text, record: record)
        self = record
      }
    }
    // A store removes nothing from its log before it has forgotten something.
    if settled == nil, case .integer(1...) = values.second { throw Self.lost(connection) }
  }

  /// Reads text that `write` has written; `nil` for anything else.
  private init?(decoding text: [UInt8]) {
    var obeyed: Declaration?
    var settled: Declaration?
    var promises: [Declaration] = []
    var dropped: Set<UInt64> = []
    // Usually, the declaration by which the store has forgotten is the one that it obeys.
    var known: (digits: ArraySlice<UInt8>, declaration: Declaration)?
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let parts = line.split(separator: UInt8(ascii: " "))
      guard parts.count == 2, let word = Word(rawValue: String(decoding: parts[0], as: UTF8.self))
      else { return nil }
      let digits = parts[1]
      if word == .dropped {
        guard digits.count == 16, let identifier = UInt64(lowerHex: digits) else { return nil }
        dropped.insert(identifier)
        continue
      }
      let declaration = known?.digits == digits ? known?.declaration : Self.declaration(digits)
      guard let declaration else { return nil }
      known = (digits, declaration)
      switch word {
      case .obeys: obeyed = declaration
      case .promises: promises.append(declaration)
      case .settled: settled = declaration
      case .dropped: break
      }
    }
    state = HorizonState(obeyed: obeyed, promises: promises, dropped: dropped)
    self.settled = settled
  }

  /// Reads what a store remembers, as far as publishing needs it.
  ///
  /// - Returns: `nil` if it cannot be read. The store then publishes everything whole, which every peer can
  ///   read: its own transactions get out even if it can no longer import anything.
  package static func ifReadable(_ connection: Connection) throws -> HorizonRecord? {
    do {
      return try HorizonRecord(connection)
    } catch let error as StoreError where error.code == .damaged {
      return nil
    }
  }

  private static func lost(_ connection: Connection) -> StoreError {
    StoreError(
      .damaged, "the bookkeeping no longer says what the store has promised to other devices",
      path: connection.path,
      remedy:
        "run `tributary sync`, which publishes what is unpublished; then move the file away "
        + "and run `tributary attach`, which gives the device a new identity")
  }

  private static func declaration(_ digits: some Collection<UInt8>) -> Declaration? {
    // An error would name a place in the bytes, which is of no use here.
    [UInt8](lowerHex: Array(digits))?.withUnsafeBytes { try? Declaration(decoding: $0) }
  }

  /// Writes the record in the open transaction, or in a transaction of its own.
  package func write(to connection: Connection) throws {
    try noteEarlier(connection)
    var lines: [String] = []
    func add(_ word: Word, _ text: String) { lines.append("\(word.rawValue) \(text)") }
    if let obeyed = state.obeyed { add(.obeys, obeyed.bytes.lowerHex) }
    for promise in state.promises { add(.promises, promise.bytes.lowerHex) }
    for identifier in state.dropped.sorted() { add(.dropped, identifier.lowerHex) }
    if let settled { add(.settled, settled.bytes.lowerHex) }
    try Settings(connection).set(.horizon, lines: lines)
  }

  /// The largest number of earlier declarations that a store remembers.
  private static let earlierLimit = 8

  /// Returns the declarations that the store obeyed before, the latest first: authors that have not seen a
  /// later one still write above the horizons of these.
  package static func earlier(_ connection: Connection) throws -> [Declaration] {
    try Settings(connection).lines(.horizonsBefore).compactMap { declaration(Array($0.utf8)) }
  }

  /// Remembers the declaration that the store has obeyed so far.
  private func noteEarlier(_ connection: Connection) throws {
    // A declaration that cannot be read is replaced all the same; it is needed only to read late segments.
    guard let before = try Self.ifReadable(connection)?.state.obeyed, before != state.obeyed
    else { return }
    let all = [before] + (try Self.earlier(connection)).filter { $0 != before }
    try Self.remember(Array(all.prefix(Self.earlierLimit)), in: connection)
  }

  /// Replaces the remembered declarations that the store obeyed before.
  package static func remember(_ earlier: [Declaration], in connection: Connection) throws {
    try Settings(connection).set(.horizonsBefore, lines: earlier.map(\.bytes.lowerHex))
  }

  /// Records that the store forgets what lies below the horizon of a declaration: from now on, a whole
  /// baseline stands for it.
  ///
  /// This must run within a transaction.
  package static func settle(_ declaration: Declaration, in connection: Connection) throws {
    var record = try HorizonRecord(connection)
    record.settled = declaration
    try record.write(to: connection)
    try ConflictTable(connection).settle(beneath: declaration.horizon)
  }
}
