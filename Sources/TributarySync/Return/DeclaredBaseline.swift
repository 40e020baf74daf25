import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog

/// A baseline in the container that declares a horizon. Whether it is whole shows only when it is read.
struct DeclaredBaseline {
  let baselines: BaselineStore
  let name: BaselineName
  let header: BaselineHeader
  let declaration: Declaration

  var path: String { baselines.path(of: name) }

  /// Returns those of one declaration, or of all, whose headers can be read: the last in the order of declarations
  /// first.
  static func all(of identifier: UInt64? = nil, in exchange: Exchange) -> [DeclaredBaseline] {
    var all: [DeclaredBaseline] = []
    for peer in exchange.listing.peers {
      let baselines = exchange.baselines(of: peer.peer)
      // What cannot be listed, or read, is as good as not there.
      for name in (try? baselines.names()) ?? [] {
        guard let header = try? baselines.header(of: name), let declaration = header.declaration,
          identifier ?? declaration.identifier == declaration.identifier
        else { continue }
        all.append(
          DeclaredBaseline(
            baselines: baselines, name: name, header: header, declaration: declaration))
      }
    }
    return all.sorted {
      $0.declaration != $1.declaration
        ? $0.declaration > $1.declaration : $0.path < $1.path
    }
  }
}
