/// A container as a list shows it.
public struct ContainerDescription: Hashable, Sendable {
  /// Whether the container can be used on this device.
  public enum State: String, Sendable {
    /// It can be used.
    case enabled
    /// It was switched off on this device, and keeps what it has.
    case disabled
    /// It was there once, and is not any more: deleted on another device, or away.
    case absent
  }

  /// Which container it is.
  public var identifier: ContainerIdentifier
  /// The path of its directory.
  public var path: String
  /// Whether it can be used.
  public var state: State
}
