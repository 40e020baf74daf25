internal import FoundationEssentials
internal import TributaryCoordination

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

  /// Runs `body`, which does one step, while nobody else uses the package.
  ///
  /// - Parameter package: the path of the package, without links.
  /// - Throws: what `body` throws; `CoordinationError` if a presenter refuses, or if the access would wait for ever:
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
      return try body()
    }
  }

  private func coordinate<Result>(
    _ kind: Kind, _ package: URL, _ body: () throws -> Result
  ) throws -> Result {
    switch kind {
    case .makes: try coordinator.coordinate(writingItemAt: package) { _ in try body() }
    case .deletes:
      try coordinator.coordinate(writingItemAt: package, options: .forDeleting) { _ in try body() }
    case .moves(let path):
      try coordinator.coordinate(
        writingItemAt: package, options: .forMoving, writingItemAt: Self.url(path)
      ) { _, _ in
        let result = try body()
        // It has moved, whether or not others can be told.
        try? coordinator.item(at: package, didMoveTo: Self.url(path))
        return result
      }
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
