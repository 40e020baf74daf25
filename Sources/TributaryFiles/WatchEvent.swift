/// One thing that happened.
public struct WatchEvent: Hashable, Sendable {
  /// Where.
  public var token: WatchToken
  /// The name within the watched directory; `nil` for the watched thing itself.
  public var name: String?
  /// What; intersect it with a kind to ask.
  public var kind: WatchKind

  /// Makes an event.
  public init(token: WatchToken, name: String?, kind: WatchKind) {
    self.token = token
    self.name = name
    self.kind = kind
  }
}
