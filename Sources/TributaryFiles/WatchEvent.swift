/// One event of a watched directory or file.
public struct WatchEvent: Hashable, Sendable {
  /// The watch that reported the event.
  public var token: WatchToken
  /// The name within the watched directory; `nil` for the watched directory or file itself.
  public var name: String?
  /// What happened; intersect it with a kind to test for that kind.
  public var kind: WatchKind

  /// Makes an event.
  public init(token: WatchToken, name: String?, kind: WatchKind) {
    self.token = token
    self.name = name
    self.kind = kind
  }
}
