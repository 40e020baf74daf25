import TributaryContainer
import TributaryCore
import TributaryReplay

/// Examines segments that are in another directory, or under another name, than their own.
extension ContentDiagnosis {
  /// Returns what to do about a segment in the directory of a peer that is not its author; `nil` if the
  /// author is not known, or if the segment is there for another reason.
  func remedyForStray(_ finding: LogFinding, _ owner: PeerIdentity?) -> String? {
    guard let author = finding.peer, author != owner,
      let name = SegmentName(finding.path.lastPathComponent)
    else { return nil }
    let place = SegmentStore(directory, peer: author, using: environment.fileSystem).path(of: name)
    return holds(name, of: author)
      ? "remove it: \(place) is there too, and nobody reads this one"
      : "move it to \(place), where it belongs; or remove it, and "
        + (author == own
          ? "\(Remedy.sync), which publishes again what is missing"
          : "run `tributary sync` on the device that wrote it, which publishes again what is missing")
  }

  /// Examines what files are that end like segments but have other names.
  func misnamedFiles(_ findings: inout Findings) {
    for peer in listing.peers {
      let store = SegmentStore(directory, peer: peer.peer, using: environment.fileSystem)
      for name in peer.misnamed {
        let path = store.path.appending(component: name)
        do throws(ContainerError) {
          let right = try store.identify(name)
          if holds(right, of: peer.peer) {
            findings.note(
              .misnamed, peer: peer.peer, path: path,
              "\(path) is a copy of the segment \(right), which is there too",
              remedy: "nothing needs to be done; it can be removed")
          } else {
            findings.warn(
              .misnamed, peer: peer.peer, path: path,
              "\(path) is the segment \(right) under another name, and is not read under that one",
              remedy:
                "give it its own name, or let its device publish it again with `tributary sync`")
          }
        } catch {
          findings.add(misnamed(name, error, path, of: peer.peer))
        }
      }
    }
  }

  /// Returns the finding for a file that is not a whole segment.
  private func misnamed(
    _ name: String, _ error: ContainerError, _ path: String, of peer: PeerIdentity
  ) -> Finding {
    // Carriers add to the names of copies.
    let stem = String(name.prefix(SegmentName.byteCount - SegmentName.suffix.count))
    guard let original = SegmentName(stem + SegmentName.suffix) else {
      return Finding(
        .misnamed, .note, peer: peer, path: path,
        "\(path) does not have the name of a segment and is not a whole one: \(error.finding)",
        remedy: "nothing needs to be done; it can be removed where it does not belong to a carrier")
    }
    let copy = "\(path) is a truncated or damaged copy of the segment \(original)"
    if holds(original, of: peer) {
      return Finding(
        .misnamed, .note, peer: peer, path: path,
        "\(copy), and there is a file of that name, too: \(error.finding)",
        remedy: "nothing needs to be done; it can be removed")
    }
    // What is missing then is reported elsewhere.
    return Finding(
      .misnamed, .note, peer: peer, path: path, "\(copy), which is not there: \(error.finding)",
      remedy: "wait for the carrier; if it does not bring the segment, "
        + (peer == own
          ? "\(Remedy.sync), which publishes again what is missing"
          : gone.contains(peer)
            ? Remedy.lostCopy : "run `tributary sync` on its device, which publishes it again"))
  }

  /// Whether there is a file of that name in the log of a peer.
  private func holds(_ name: SegmentName, of peer: PeerIdentity) -> Bool {
    listing.peers.first { $0.peer == peer }?.segments.contains { $0.name == name } ?? false
  }
}
