/// A change of a key-value store that this process did not make.
public struct KeyValueChange: Hashable, Sendable {
  /// Why keys have changed.
  public enum Reason: Int, Sendable {
    /// Other devices have set or removed values.
    case serverChange
    /// The values of other devices have reached this one for the first time, and replace its own.
    case initialSyncChange
    /// Several devices have set values at the same time that together exceed the limits. All of them stay, on
    /// every device. Until enough is removed, no set that takes more space is accepted.
    case quotaViolationChange
    /// The store now belongs to another container, or to another identity in it, and has the values from
    /// there.
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
