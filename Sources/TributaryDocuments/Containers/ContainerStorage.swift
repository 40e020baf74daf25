/// What a container takes.
public struct ContainerStorage: Hashable, Sendable {
  /// Something in the `Documents` directory, which users delete by itself.
  public struct Item: Hashable, Sendable {
    /// The path, relative to the `Documents` directory.
    public var name: String
    /// The bytes that its files have.
    public var bytes: UInt64
  }

  /// Which container it is.
  public var identifier: ContainerIdentifier
  /// The path of its directory.
  public var path: String
  /// All of it.
  public var bytes: UInt64
  /// What is in `Documents`, the largest first.
  public var documents: [Item]
  /// What is beside `Documents`, logs above all: it can be deleted only with the container.
  public var otherBytes: UInt64
}
