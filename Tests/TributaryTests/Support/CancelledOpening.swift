import Foundation
import Synchronization
import Testing
import Tributary
import TributaryTesting

/// Opens something in a task that is cancelled when a stage has come so far, and demands that it says so.
///
/// - Parameter done: how far; `nil` means as soon as it has begun.
/// - Returns: the progress that was told.
func cancelledAt(
  _ stage: String, _ done: Int?,
  _ open:
    @escaping @Sendable (
      @escaping @Sendable (StoreOptions.Progress) throws -> Void
    ) async throws -> Void
) async -> [StoreOptions.Progress] {
  let steps = Recorded<StoreOptions.Progress>()
  let opening = Mutex<Task<Void, any Error>?>(nil)
  let isThere = DispatchSemaphore(value: 0)
  let task = Task {
    try await open { progress in
      let isFirst = !steps.all.contains { $0.stage == stage }
      steps.append(progress)
      guard progress.stage == stage, done.map({ $0 == progress.done }) ?? isFirst else { return }
      // The statement that follows is interrupted, or what comes after it ends.
      isThere.wait()
      opening.withLock { $0 }?.cancel()
    }
  }
  opening.withLock { $0 = task }
  isThere.signal()
  await #expect(throws: CancellationError.self) { try await task.value }
  return steps.all
}

/// The files and directories below a directory, with their contents.
func files(_ directory: String) throws -> [String: Data] {
  var files: [String: Data] = [:]
  for case let name as String in FileManager.default.enumerator(atPath: directory) ?? .init() {
    files[name] = FileManager.default.contents(atPath: "\(directory)/\(name)") ?? Data()
  }
  return files
}
