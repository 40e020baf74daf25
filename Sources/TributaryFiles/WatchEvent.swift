/// One event of a watched directory or file.
package struct WatchEvent: Hashable, Sendable {
  /// The watch that reported the event.
  package var token: WatchToken
  /// The name within the watched directory; `nil` for the watched directory or file itself.
  package var name: String?
  /// What happened; intersect it with a kind to test for that kind.
  package var kind: WatchKind

  /// Makes an event.
  package init(token: WatchToken, name: String?, kind: WatchKind) {
    self.token = token
    self.name = name
    self.kind = kind
  }
}
