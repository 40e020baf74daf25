import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

extension ManifestHorizon {
  /// Creates the part of a store's own `peer.json` that concerns horizons.
  ///
  /// The caller must have read the receipt before: whatever is made after that knows what the receipt states.
  ///
  /// - Parameter milliseconds: the present time, since 1970.
  /// - Returns: `nil` if there is nothing to state.
  init?(_ connection: Connection, _ policy: HorizonPolicy, _ milliseconds: UInt64) throws {
    let record = try HorizonRecord(connection)
    guard policy.isOn || record != HorizonRecord() else { return nil }
    self.init(record, made: try Outbox(connection).last()?.sequence ?? .zero)
    day = Self.statedDay(milliseconds)
  }

  /// Returns the day that a store states. It does not state each day, since others would read its file each
  /// time.
  static func statedDay(_ milliseconds: UInt64) -> UInt64 {
    let day = SynchronisedDays.day(milliseconds)
    return day - day % dayStep
  }

  /// One day in this many is stated: twice within the days after which a peer counts as silent.
  static let dayStep: UInt64 = 3

  private init(_ record: HorizonRecord, made: SequenceNumber) {
    self.init(
      made: made, obeyed: record.state.obeyed?.identifier, settled: record.settled?.identifier,
      promises: record.state.promises.map(\.identifier),
      // The peers that promise it copy its text, so that it does not depend on the proposer's file.
      proposal: record.state.promises.last)
  }

  /// Whether a file states what a store remembers, apart from what it has made.
  static func isUpToDate(_ stated: ManifestHorizon?, with record: HorizonRecord) -> Bool {
    var stated = stated ?? ManifestHorizon(made: .zero)
    stated.made = .zero
    stated.day = 0
    return stated == ManifestHorizon(record, made: .zero)
  }
}
