/// A change of a key-value store that this process did not make.
public struct KeyValueChange: Hashable, Sendable {
  /// Why keys have changed.
  public enum Reason: Int, Sendable {
    /// Other devices have set or removed values.
    case serverChange
    /// The values of other devices have come to this one for the first time, and take the place of its own.
    case initialSyncChange
    /// Devices have set values at the same time, which together exceed the limits. All of them stay, on every
    /// device; until enough is removed, no set that takes more room is accepted.
    case quotaViolationChange
    /// The store belongs to another container now, or to another identity in it, and has the values from there.
    case accountChange
  }

  /// Why they have changed.
  public var reason: Reason
  /// The keys whose values were set or removed, in ascending order.
  public var changedKeys: [String]

  package init(reason: Reason, changedKeys: some Sequence<String>) {
    self.reason = reason
    self.changedKeys = Set(changedKeys).sorted()
  }
}
