import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributarySQLite
import TributaryStore

extension ManifestHorizon {
  /// Makes what a store states in its own `peer.json`.
  ///
  /// The caller must have read the receipt before: whatever is made after that knows what the receipt says.
  ///
  /// - Returns: `nil` if it has nothing to say.
  init?(_ connection: Connection, _ policy: HorizonPolicy) throws {
    let record = try HorizonRecord(connection)
    guard policy.isOn || record != HorizonRecord() else { return nil }
    self.init(record, made: try Outbox(connection).last()?.sequence ?? .zero)
  }

  private init(_ record: HorizonRecord, made: SequenceNumber) {
    self.init(
      made: made, obeyed: record.state.obeyed?.identifier, settled: record.settled?.identifier,
      promises: record.state.promises.map(\.identifier),
      // Those who promise it copy its text, so that it does not depend on the proposer's file.
      proposal: record.state.promises.last)
  }

  /// Whether a file states what a store remembers, apart from what it has made.
  static func isUpToDate(_ stated: ManifestHorizon?, with record: HorizonRecord) -> Bool {
    var stated = stated ?? ManifestHorizon(made: .zero)
    stated.made = .zero
    return stated == ManifestHorizon(record, made: .zero)
  }
}
