import TributaryCore
import TributaryFiles
import TributarySync

extension StatusReport {
  /// The line that --json prints.
  package var json: String {
    var json = JSONWriter()
    json.object { json in
      json.member("store", store)
      json.member("container", identity.container)
      json.member("name", identity.contentName)
      json.member("peer", identity.peer.description)
      json.member("peers", objects: peers) { json, peer in
        json.member("peer", peer.peer.description)
        json.member("name", peer.name)
        json.member("sequence", peer.sequence.rawValue)
        json.member("time") { $0.time(peer.time) }
        if let successor = successors[peer.peer] {
          json.member("successor", successor.description)
        }
      }
      json.member("unpublished", unpublished)
      json.member("waiting", each: waiting) { $1.write(to: &$0) }
      json.member("conflicts", conflicts)
      json.member("schema", schema)
      json.member("followsSchema") { $0.bool(followsSchema) }
      json.member("keys", each: keys) { $1.write(to: &$0) }
      json.member("version", version.description)
      if let trouble {
        json.object("trouble") { json in
          json.member("since", Timestamp.text(milliseconds: trouble.since))
          json.member("kind", trouble.kind)
          json.member("reason", trouble.reason)
        }
      }
      json.object("space") { space.write(to: &$0) }
      json.member("findings", strings: findings)
    }
    return json.text
  }
}
