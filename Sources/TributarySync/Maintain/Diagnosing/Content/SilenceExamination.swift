import TributaryContainer
import TributaryCore
import TributaryFiles

/// Which peers have given no sign for long: nobody has heard that they know what was written then.
struct SilenceExamination: Examination {
  let content: ContentSubject

  let subject = "when peers were last heard of"

  private static let days: UInt64 = 30
  private static let limit = days * 86_400_000

  func examine(_ findings: inout [Finding]) throws {
    let segments = try content.logs.get().result.segments
    let now = content.environment.clock.milliseconds()
    let text = content.peerText
    let gone = content.gone
    for manifest in content.readable
    where manifest.peer != content.own && !gone.contains(manifest.peer) {
      let own = segments.filter { $0.header.peer == manifest.peer }.map(\.header.lastTime).max()
      // Adopted rows have no time.
      let unknown = segments.filter {
        $0.header.peer != manifest.peer && $0.header.lastTime > .zero
          && manifest.receipt[$0.header.peer] < $0.header.last
      }.map(\.header.lastTime).min()
      guard let unknown, own.map({ $0 < unknown }) ?? true, now > unknown.milliseconds,
        now - unknown.milliseconds > Self.limit
      else { continue }
      findings.append(
        Finding(
          .silent, .warning, peer: manifest.peer,
          path: content.directory.manifest(of: manifest.peer),
          "\(text(manifest.peer)) has not said for over \(Self.days) days that it has what others wrote at "
            + Timestamp.text(milliseconds: unknown.milliseconds),
          remedy: "switch it on, and run `tributary doctor` there if it stays behind"))
    }
  }
}
