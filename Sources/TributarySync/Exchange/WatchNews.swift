/// Where, among the things that a watch observes, something has happened.
package struct WatchNews: Equatable {
  package var container = false
  package var store = false
  package var manifest = false
  /// Whether something happened outside of the watched logs.
  package var isElsewhere = false

  package init(
    container: Bool = false, store: Bool = false, manifest: Bool = false, isElsewhere: Bool = false
  ) {
    self.container = container
    self.store = store
    self.manifest = manifest
    self.isElsewhere = isElsewhere
  }
}
