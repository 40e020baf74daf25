internal import FoundationEssentials
internal import TributaryCoordination
internal import TributarySQLite

/// The single place through which all steps go that make, move or delete whole packages, so that they wait
/// for presenters and notify them.
struct DocumentStep {
  /// What a step does to a package.
  enum Kind: Equatable {
    case makes
    case moves(to: String)
    case deletes
  }

  let coordinator: FileCoordinator
  /// Cancels waiting for others; `nil` if that cannot be cancelled.
  var cancellation: Cancellation?

  /// Runs `body`, which does one step, while no one else uses the package.
  ///
  /// - Parameter package: the path of the package, without links.
  /// - Throws: what `body` throws; `CancellationError`; `CoordinationError` if a presenter refuses, or if the
  ///   access would wait forever. `body` has not run then.
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
      // There is no one to wait for.
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
        // Nothing wakes a wait that was cancelled before it began.
        try cancellation.check()
        try wait()
      }
    } byAccessor: {
      let result = try body()
      if case .moves(let path) = kind {
        // The package has moved, whether or not others can be notified.
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

  /// Whether processes of this user cannot meet at all. Then coordination must not keep any of them from the
  /// documents.
  private static func isWithoutMeetingPlace(_ error: CoordinationError) -> Bool {
    [.unsafeDirectory, .inaccessible, .damaged, .newerFormat].contains(error.code)
  }
}
