import TributaryContainer
import TributaryCore
import TributaryFiles

/// Whether stamps are in the future: another clock is ahead, or this one is behind.
struct StampExamination: Examination {
  let content: ContentSubject

  let subject = "the stamps of the peers"

  /// In milliseconds: the clocks of devices that set them by the network differ by less.
  static let tolerance: UInt64 = 60_000

  func examine(_ findings: inout [Finding]) throws {
    let now = content.environment.clock.milliseconds()
    var latest: [PeerIdentity: HybridTime] = [:]
    for segment in try content.logs.get().result.segments {
      latest[segment.header.peer] = max(
        latest[segment.header.peer] ?? .zero, segment.header.lastTime)
    }
    // A store's own examination says more about its own stamps.
    latest = latest.filter { $0.key != content.own && $0.value.milliseconds > now + Self.tolerance }
    for (peer, time) in latest.sorted(by: { $0.key < $1.key }) {
      findings.append(Self.finding(peer, time, now: now, content.peerText))
    }
  }

  static func finding(
    _ peer: PeerIdentity, _ time: HybridTime, now: UInt64, _ text: PeerText
  ) -> Finding {
    Finding(
      .clock, .warning, peer: peer,
      "\(text(peer)) has written at \(Timestamp.text(milliseconds: time.milliseconds)), "
        + "\(duration(time.milliseconds - now)) after the present time of this device, "
        + "\(Timestamp.text(milliseconds: now)): the clock there is or was ahead, or this one is behind",
      remedy:
        "set both clocks right; nothing is lost, but until then writes there win over later ones here, "
        + "and what is written from now on has stamps after that")
  }

  /// Returns a duration in a suitable unit.
  static func duration(_ milliseconds: UInt64) -> String {
    let seconds = milliseconds / 1000
    return switch seconds {
    case 0..<120: "\(seconds) seconds"
    case 120..<7200: "\(seconds / 60) minutes"
    case 7200..<172_800: "\(seconds / 3600) hours"
    default: "\(seconds / 86_400) days"
    }
  }
}
