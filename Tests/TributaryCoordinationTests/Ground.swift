import Foundation
import TributaryCoordination
import TributaryTesting

/// A directory of items, and domains that behave like processes.
struct Ground {
  /// Where the items are.
  let root: String
  let runtime: String
  let domains: [CoordinationDomain]

  static func with(
    _ count: Int, isWatching: Bool = true, _ body: (Ground) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let ground = try Ground(directory, count, isWatching: isWatching)
      defer { for domain in ground.domains { domain.close() } }
      try await body(ground)
    }
  }

  init(_ directory: String, _ count: Int, isWatching: Bool = true) throws {
    root = URL(filePath: directory).appending(path: "items").path
    runtime = "\(directory)/runtime"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
    let runtime = runtime
    domains = (0..<count).map { _ in
      CoordinationDomain(directory: "\(runtime)/boot", isWatching: isWatching)
    }
  }

  func coordinator(
    _ domain: Int, _ presenter: (any FilePresenter)? = nil, limit: Duration = patience
  ) -> FileCoordinator {
    FileCoordinator(
      filePresenter: presenter, presenterTimeLimit: limit, domain: domains[domain])
  }

  func url(_ name: String = "") -> URL { URL(filePath: name.isEmpty ? root : "\(root)/\(name)") }

  func make(_ name: String) throws {
    let url = url(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: url)
  }

  func claims(_ phase: Claim.Phase) throws -> [Claim] {
    try domains[0].currentTable().claims.filter { $0.phase == phase }
  }

  func hasNoClaims() throws -> Bool { try domains[0].currentTable().claims.isEmpty }

  /// Waits until as many claims wait.
  func untilWaiting(_ count: Int) async throws {
    try await until { try claims(.waiting).count == count }
  }
}

/// Waits as `eventually` does, without keeping tasks from running.
func until(
  fileID: String = #fileID, line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
  _ condition: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + patience
  while try !condition() {
    guard ContinuousClock.now < end else { throw NeverCame(place: "\(fileID):\(line)") }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// What a test waited for did not come.
struct NeverCame: Error { let place: String }
