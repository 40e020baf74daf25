public import Foundation
import TributaryKeyValue

extension Notification.Name {
  /// Posted when values have changed that this process did not set, in order and one at a time, on a thread of the
  /// store. The object is the `KeyValueStore`. A handler may call any of its methods. Nothing is posted after `close`.
  ///
  /// `userInfo` has the raw value of the `KeyValueChange.Reason`, an `Int`, under
  /// `KeyValueNotificationKey.reason`; an array of strings under `changedKeys`; and the `KeyValueChange`
  /// under `change`.
  public static let keyValueStoreDidChangeExternally = Notification.Name(
    "TributaryKeyValueStoreDidChangeExternally")
}

/// The keys of `userInfo` in `keyValueStoreDidChangeExternally`.
public enum KeyValueNotificationKey {
  /// Why they have changed: the raw value of `KeyValueChange.Reason`, an `Int`.
  public static let reason = "reason"
  /// The keys that have changed, a `[String]`.
  public static let changedKeys = "changedKeys"
  /// The whole `KeyValueChange`.
  public static let change = "change"
}

extension KeyValueChange {
  var userInfo: [String: Any] {
    [
      KeyValueNotificationKey.reason: reason.rawValue,
      KeyValueNotificationKey.changedKeys: changedKeys,
      KeyValueNotificationKey.change: self,
    ]
  }
}
