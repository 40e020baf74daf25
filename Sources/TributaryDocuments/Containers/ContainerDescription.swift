/// A container as a list shows it.
public struct ContainerDescription: Hashable, Sendable {
  /// Whether the container can be used on this device.
  public enum State: String, Sendable {
    case enabled
    case disabled
    /// It was there once, and is not any more: deleted on another device, or away.
    case absent
  }

  public var identifier: ContainerIdentifier
  /// The path of its directory.
  public var path: String
  public var state: State
}
