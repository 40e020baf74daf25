/// Something that an application may want to write into its log.
///
/// It has the parts of a swift-log message, so one statement passes it on:
///
///     options.log = { event in
///       logger.log(
///         level: Logger.Level(rawValue: event.level.rawValue)!, "\(event.message)",
///         metadata: event.metadata.mapValues { .string($0) })
///     }
public struct LogEvent: Hashable, Sendable {
  /// How important an event is. The raw values are those of swift-log.
  public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
    /// The levels of swift-log, from the least important to the most.
    case trace, debug, info, notice, warning, error, critical

    public static func < (a: Level, b: Level) -> Bool {
      let all = allCases
      return all.firstIndex(of: a)! < all.firstIndex(of: b)!
    }
  }

  /// How important the event is.
  public var level: Level
  /// What has happened, in one line.
  public var message: String
  /// Details by name: always `store`, the path of the database, and, for example, `path` and `remedy`.
  public var metadata: [String: String]

  /// Makes an event, for example to test a receiver.
  public init(level: Level, message: String, metadata: [String: String] = [:]) {
    self.level = level
    self.message = message
    self.metadata = metadata
  }
}
