/// Identifies one watch of a watcher.
package struct WatchToken: Hashable, Sendable {
  package let number: Int32
}
