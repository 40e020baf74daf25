import TributaryCore
import TributaryReplay

extension Waiting {
  /// Writes `{"peer": …, "sequence": n, "for": {…}}`.
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("peer", peer.description)
      json.member("sequence", sequence.rawValue)
      json.object("for") { json in
        switch reason {
        case .transaction(let peer, let sequence), .history(let peer, let sequence):
          json.member("peer", peer.description)
          json.member("sequence", sequence.rawValue)
        case .schema(let refusal): json.member("schema", refusal.description)
        case .constraint(let refusal): json.member("constraint", refusal.description)
        case .fork(let sequence): json.member("fork", sequence.rawValue)
        case .strayed(let peer, let sequence):
          json.object("strayed") { json in
            json.member("peer", peer.description)
            json.member("sequence", sequence.rawValue)
          }
        case .baseline(let declaration): json.member("baseline", declaration.lowerHex)
        case .fenced(let declaration): json.member("horizon", declaration.lowerHex)
        }
      }
    }
  }
}
