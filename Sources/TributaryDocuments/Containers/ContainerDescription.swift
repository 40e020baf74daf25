/// A container as shown in a list.
public struct ContainerDescription: Hashable, Sendable {
  /// Whether the container can be used on this device.
  public enum State: String, Sendable {
    /// It can be used.
    case enabled
    /// It was switched off on this device, and keeps its contents.
    case disabled
    /// It was there once but is no longer: deleted on another device, or unavailable.
    case absent
  }

  /// The identifier of the container.
  public var identifier: ContainerIdentifier
  /// The path of its directory.
  public var path: String
  /// Whether it can be used.
  public var state: State
}
