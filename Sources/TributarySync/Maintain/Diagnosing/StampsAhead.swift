import TributaryCore
import TributaryFiles
import TributaryReplay
import TributarySQLite
import TributaryStore

/// Whether the stamps of a store are ahead of the present time.
struct StampsAhead {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Returns what to report about it; `nil` if they are not.
  ///
  /// - Parameter now: the present time, in milliseconds since 1970.
  func finding(at now: UInt64) throws -> Refusal? {
    let limit = now + ContentDiagnosis.clockTolerance
    guard let own = try Outbox(connection).last()?.time, own.milliseconds > limit else {
      return nil
    }
    let peers = try KnowledgeTable(connection).peers()
    let cause: String
    if let peer = peers.filter({ $0.time.milliseconds > limit }).max(by: { $0.time < $1.time }) {
      cause = "it follows the stamps of \(PeerText()(peer.peer)), whose clock is or was ahead"
    } else {
      cause = "the clock here was ahead when they were written, or is behind now"
    }
    return Refusal(
      "the store's own stamps have come to \(Timestamp.text(milliseconds: own.milliseconds)), "
        + "\(ContentDiagnosis.duration(own.milliseconds - now)) after the present time: \(cause)",
      remedy:
        "set the clocks right; nothing is lost, but until that time has come, writes here win over later "
        + "ones of devices that have not heard of them")
  }
}
