import TributaryContainer
import TributaryFiles

/// What the files are that end like segments but have another name.
struct MisnamedExamination: Examination {
  let content: ContentSubject

  let subject = "files under other names"

  func examine(_ findings: inout [Finding]) {
    for peer in content.listing.peers {
      let store = SegmentStore(
        content.directory, peer: peer.peer, using: content.environment.fileSystem)
      for name in peer.misnamed {
        let path = store.path.appending(component: name)
        findings.append(finding(path, name, peer, store))
      }
    }
  }

  private func finding(
    _ path: String, _ name: String, _ peer: PeerListing, _ store: SegmentStore
  ) -> Finding {
    do throws(ContainerError) {
      let right = try store.identify(name)
      if peer.segments.contains(where: { $0.name == right }) {
        return Finding(
          .misnamed, .note, peer: peer.peer, path: path,
          "\(path) is a copy of the segment \(right), which is there too",
          remedy: "nothing need be done; it can be removed")
      }
      return Finding(
        .misnamed, .warning, peer: peer.peer, path: path,
        "\(path) is the segment \(right) under another name, and is not read under that one",
        remedy: "give it its own name, or let its device publish it again with `tributary sync`")
    } catch {
      return Finding(
        .misnamed, .note, peer: peer.peer, path: path,
        "\(path) does not have the name of a segment and is not one: \(error.message)",
        remedy: "nothing need be done; it can be removed where it does not belong to a carrier")
    }
  }
}
