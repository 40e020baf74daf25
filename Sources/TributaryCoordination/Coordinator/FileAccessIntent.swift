public import FoundationEssentials

/// An item, and what is to be done with it.
public struct FileAccessIntent: Hashable, Sendable {
  /// The item.
  public var url: URL
  let access: ItemAccess

  /// Returns the intent to read an item.
  public static func readingIntent(
    with url: URL, options: FileCoordinator.ReadingOptions = []
  ) -> FileAccessIntent {
    FileAccessIntent(url: url, access: .reading(options))
  }

  /// Returns the intent to write an item.
  public static func writingIntent(
    with url: URL, options: FileCoordinator.WritingOptions = []
  ) -> FileAccessIntent {
    FileAccessIntent(url: url, access: .writing(options))
  }
}

extension FileCoordinator {
  /// Returns the intents to read and to write many items.
  static func intents(
    reading: [URL], _ readingOptions: ReadingOptions, writing: [URL],
    _ writingOptions: WritingOptions
  ) -> [FileAccessIntent] {
    reading.map { .readingIntent(with: $0, options: readingOptions) }
      + writing.map { .writingIntent(with: $0, options: writingOptions) }
  }
}
