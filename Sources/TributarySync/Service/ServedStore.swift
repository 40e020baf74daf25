/// A store that a service keeps synchronised, and the options for it.
package struct ServedStore: Equatable, Sendable {
  package var path: String
  /// The interval between looks that no event prompted, in milliseconds.
  package var interval = 5000
  /// The longest time of one operation on the container, in milliseconds.
  package var containerLimit = 30_000
  /// The shell command to run for each import.
  package var onImport: String?
  /// Whether to publish again, at the beginning, what is missing in the container.
  package var reseeds = false

  package init(path: String) { self.path = path }
}
