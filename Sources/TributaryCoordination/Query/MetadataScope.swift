public import FoundationEssentials
internal import TributaryFiles

/// Where a query searches.
public enum MetadataScope: Hashable, Sendable {
  /// The `Documents` directories of the containers.
  case documents
  /// The containers without their `Documents` directories.
  case data
  /// A directory, wherever it is.
  case directory(URL)
}

/// A directory that a query searches, with everything below it.
package struct SearchRoot: Hashable, Sendable {
  static let documents = "Documents"

  var path: String
  /// The name of an entry to leave out; empty for none.
  var excluded = ""

  /// Returns the directories that scopes stand for. A directory inside another one is left out, so that each
  /// item is found once.
  ///
  /// - Throws: `CoordinationError` if there is nothing to search.
  package static func roots(
    _ scopes: [MetadataScope], containers: [URL]
  ) throws(CoordinationError) -> [SearchRoot] {
    var roots: Set<SearchRoot> = []
    for scope in scopes {
      if case .directory(let url) = scope {
        roots.insert(SearchRoot(path: try path(url)))
        continue
      }
      for container in containers {
        let path = try path(container)
        roots.insert(
          scope == .documents
            ? SearchRoot(path: path.appending(component: documents))
            : SearchRoot(path: path, excluded: documents))
      }
    }
    for root in roots where roots.contains(SearchRoot(path: root.documentsPath)) {
      if root.excluded.isEmpty { continue }
      roots.remove(root)
      roots.insert(SearchRoot(path: root.path))
    }
    roots = roots.filter { root in
      !roots.contains { $0 != root && $0.covers(root) }
    }
    guard !roots.isEmpty else {
      throw CoordinationError(
        .invalidQuery, "the query has no directory to search",
        remedy: "give it scopes, and containers for the scopes .documents and .data")
    }
    return roots.sorted { $0.path < $1.path }
  }

  private var documentsPath: String { path.appending(component: Self.documents) }

  private func covers(_ other: SearchRoot) -> Bool {
    guard other.path.isAtOrBelow(path) else { return false }
    if excluded.isEmpty { return true }
    return !other.path.isAtOrBelow(path.appending(component: excluded))
      && (other.path != path || other.excluded == excluded)
  }

  private static func path(_ url: URL) throws(CoordinationError) -> String {
    let path = try ItemPath(url)
    return path.item + path.rest
  }
}
