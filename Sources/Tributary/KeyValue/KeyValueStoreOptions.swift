public import TributaryDocuments
public import TributaryKeyValue
public import TributarySync

/// The options for opening a key-value store.
public struct KeyValueStoreOptions: Sendable {
  /// The identifier. All applications that use it share the values.
  public var identifier: String
  /// The container; it may be away at the moment, also the first time.
  public var container: Container
  /// The limits; `nil` means those that the container has, and `standard` for the first device.
  public var profile: KeyValueProfile?
  /// A name for this device that people recognise; `nil` means the name of the machine.
  public var peerName: String?
  /// Whether a thread of the store publishes and imports automatically. Otherwise, call `synchronizeNow`.
  public var synchronizesAutomatically = true
  /// The interval for checking the container where changes cannot be observed, as on network mounts, and for looking
  /// for one that has never been there.
  public var pollInterval: Duration = .seconds(5)
  /// The longest time that a set is in memory alone. A set after a pause of this length is written into the file when
  /// it returns, and so survives the end of the process; of those that follow it closely, the last one of each key is
  /// written when the time is over. `synchronize` and `close` have all of it survive a power cut, too.
  public var writeInterval: Duration = .seconds(1)
  /// Called while opening takes long: as a missing store is rebuilt from the logs, and as the values of one that was
  /// detached join those of the container; see `StoreOptions.progress`. If it throws, or the task is cancelled, opening
  /// stops, and nothing has been made.
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
