/// How much space a container takes.
public struct ContainerStorage: Hashable, Sendable {
  /// An item in the `Documents` directory, which users can delete on its own.
  public struct Item: Hashable, Sendable {
    /// The path, relative to the `Documents` directory.
    public var name: String
    /// The total size of its files, in bytes.
    public var bytes: UInt64
  }

  /// The identifier of the container.
  public var identifier: ContainerIdentifier
  /// The path of its directory.
  public var path: String
  /// The size of the whole container.
  public var bytes: UInt64
  /// The items in `Documents`, the largest first.
  public var documents: [Item]
  /// The size of everything beside `Documents`, mainly logs. It can be deleted only with the
  /// container.
  public var otherBytes: UInt64
}
