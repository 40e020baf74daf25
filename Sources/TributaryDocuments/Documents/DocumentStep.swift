internal import FoundationEssentials
internal import TributaryCoordination
internal import TributarySQLite

/// The one place through which every step goes that makes, moves or deletes whole packages, so that presenters are
/// waited for and told.
struct DocumentStep {
  /// What a step does to a package.
  enum Kind: Equatable {
    case makes
    case moves(to: String)
    case deletes
  }

  let coordinator: FileCoordinator
  /// Ends waiting for others; `nil` if nobody can.
  var cancellation: Cancellation?

  /// Runs `body`, which does one step, while nobody else uses the package.
  ///
  /// - Parameter package: the path of the package, without links.
  /// - Throws: what `body` throws; `CancellationError`; `CoordinationError` if a presenter refuses, or if the access would wait for ever:
  ///   `body` has not run then.
  func run<Result>(
    _ kind: Kind, _ package: String, _ body: () throws -> Result
  ) throws -> Result {
    var hasBegun = false
    func begin() throws -> Result {
      hasBegun = true
      return try body()
    }
    do {
      return try coordinate(kind, Self.url(package), begin)
    } catch let error as CoordinationError where !hasBegun && Self.isWithoutMeetingPlace(error) {
      // Nobody can be waited for.
      try cancellation?.check()
      return try body()
    }
  }

  private func coordinate<Result>(
    _ kind: Kind, _ package: URL, _ body: () throws -> Result
  ) throws -> Result {
    try coordinator.coordinate(with: Self.intents(kind, package)) { end, wait in
      guard let cancellation else { return try wait() }
      try cancellation.waiting(wokenBy: end) {
        // Nobody wakes what was cancelled before.
        try cancellation.check()
        try wait()
      }
    } byAccessor: {
      let result = try body()
      if case .moves(let path) = kind {
        // It has moved, whether or not others can be told.
        try? coordinator.item(at: package, didMoveTo: Self.url(path))
      }
      return result
    }
  }

  private static func intents(_ kind: Kind, _ package: URL) -> [FileAccessIntent] {
    switch kind {
    case .makes: [.writingIntent(with: package)]
    case .deletes: [.writingIntent(with: package, options: .forDeleting)]
    case .moves(let path):
      [.writingIntent(with: package, options: .forMoving), .writingIntent(with: url(path))]
    }
  }

  private static func url(_ path: String) -> URL {
    URL(filePath: path, directoryHint: .notDirectory)
  }

  /// Whether processes of this user cannot meet at all: then coordinating must not keep anybody from the documents.
  private static func isWithoutMeetingPlace(_ error: CoordinationError) -> Bool {
    [.unsafeDirectory, .inaccessible, .damaged, .newerFormat].contains(error.code)
  }
}
