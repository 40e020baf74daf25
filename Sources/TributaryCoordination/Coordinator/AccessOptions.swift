extension FileCoordinator {
  /// Options for a coordinated read.
  public struct ReadingOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Presenters are not asked to save their changes first.
    public static let withoutChanges = ReadingOptions(rawValue: 1)
  }

  /// Options for a coordinated write.
  public struct WritingOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The item is to be deleted. Its presenters, and those of the directories above it, are asked to
    /// accommodate this.
    public static let forDeleting = WritingOptions(rawValue: 1)
    /// The item is to be moved. Its presenters are asked to save their changes first. After the move, call
    /// `item(at:didMoveTo:)`.
    public static let forMoving = WritingOptions(rawValue: 2)
    /// The item is to be changed, not replaced: presenters are asked to save their changes first.
    public static let forMerging = WritingOptions(rawValue: 4)
    /// Another item replaces this one, whose presenters are asked to accommodate its deletion. Do not use it
    /// to save a new version of the same document.
    public static let forReplacing = WritingOptions(rawValue: 8)
  }
}
