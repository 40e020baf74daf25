/// Identifies one watch of a watcher.
public struct WatchToken: Hashable, Sendable {
  package let number: Int32
}
