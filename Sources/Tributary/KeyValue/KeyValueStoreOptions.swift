public import TributaryDocuments
public import TributaryKeyValue
public import TributarySync

/// The options for opening a key-value store.
public struct KeyValueStoreOptions: Sendable {
  /// The identifier. All applications that use it share the values.
  public var identifier: String
  /// The container. It may be unavailable at the moment, even the first time.
  public var container: Container
  /// The limits; `nil` means those in the container, and `standard` for the first device.
  public var profile: KeyValueProfile?
  /// A name by which people recognise this device; `nil` means the name of the machine.
  public var peerName: String?
  /// Whether a thread of the store publishes and imports automatically. Otherwise, call `synchronizeNow`.
  public var synchronizesAutomatically = true
  /// The interval for checking the container where changes cannot be observed, as on network mounts, and for
  /// looking for a container that has never been available.
  public var pollInterval: Duration = .seconds(5)
  /// The longest time that a set is only in memory. After a pause of this length, a set is written to the
  /// file before it returns, so it survives the end of the process. Of the sets that follow it closely, the
  /// last one for each key is written when this time is over. After `synchronize` and `close`, all of them
  /// survive a power cut, too.
  public var writeInterval: Duration = .seconds(1)
  /// Called during a long opening: while a missing store is rebuilt from the logs, and while the values of a
  /// detached store join those of the container; see `StoreOptions.progress`. If it throws, or the task is
  /// cancelled, opening stops, and nothing has been made.
  public var progress: (@Sendable (StoreOptions.Progress) throws -> Void)?
  /// What the application may use; `nil` means what `Entitlements.ofApplication` grants.
  public var entitlements: Entitlements?
  /// The file system, clock and randomness; replaced in tests.
  public var environment = StoreEnvironment()

  /// Makes options with defaults for everything else.
  public init(identifier: String, container: Container, profile: KeyValueProfile? = nil) {
    self.identifier = identifier
    self.container = container
    self.profile = profile
  }

  func place(at path: String) -> KeyValuePlace {
    KeyValuePlace(
      path: path, container: container.path, identifier: identifier, profile: profile,
      peerName: peerName, environment: environment)
  }
}
