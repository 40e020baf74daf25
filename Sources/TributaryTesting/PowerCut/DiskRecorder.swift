import Foundation
import Synchronization
internal import TributaryFiles

/// Records the operations of SQLite and of Tributary on the files below a directory.
package final class DiskRecorder: Sendable {
  /// The directory below which everything is recorded.
  package let directory: String

  private struct State {
    var operations: [DiskOperation] = []
    /// The files that have a name now.
    var files: [String: Int] = [:]
    var count = 0
    /// The durable contents at the beginning, by number.
    var contents: [Int: [UInt8]] = [:]
    var names: [String: Int] = [:]
    var directories: Set<String> = []
  }

  private let state: Mutex<State>
  private let unreadable = Atomic(false)

  /// Starts recording. What exists now is durable.
  package init(below directory: String) throws {
    self.directory = directory
    var state = State()
    let paths = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String }
    for name in (paths ?? []).sorted() {
      let path = "\(directory)/\(name)"
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      if isDirectory.boolValue {
        state.directories.insert(path)
      } else if !name.hasSuffix("-shm") {
        state.contents[state.count] = try Array(Data(contentsOf: URL(filePath: path)))
        state.names[path] = state.count
        state.count += 1
      }
    }
    state.files = state.names
    self.state = Mutex(state)
  }

  /// The number of operations.
  package var count: Int { state.withLock { $0.operations.count } }

  /// Whether SQLite can read no write-ahead log.
  package var hasUnreadableLogs: Bool {
    get { unreadable.load(ordering: .relaxed) }
    set { unreadable.store(newValue, ordering: .relaxed) }
  }

  /// Returns what a power cut before operation `count` may have left, chosen at random.
  package func powerCut(
    after count: Int, using random: inout SeededGenerator
  ) -> DiskImage {
    let state = state.withLock { $0 }
    var disk = VolatileDisk(
      contents: state.contents, names: state.names, directories: state.directories)
    for operation in state.operations.prefix(count) { disk.perform(operation) }
    return disk.image(using: &random)
  }

  // MARK: Recording

  func isRecorded(_ path: String) -> Bool {
    path.hasPrefix(directory + "/") && !path.hasSuffix("-shm")
  }

  func append(_ operation: DiskOperation) { state.withLock { $0.operations.append(operation) } }

  /// Returns the number of a file that was opened.
  func opened(_ path: String, created: Bool) -> Int {
    state.withLock { state in
      if let file = state.files[path] { return file }
      let file = state.count
      state.count += 1
      state.files[path] = file
      state.operations.append(.create(file: file, path: path))
      return file
    }
  }

  func renamed(_ path: String, to other: String) {
    state.withLock { state in
      state.files[other] = state.files.removeValue(forKey: path)
      state.operations.append(.rename(from: path, to: other))
    }
  }

  func removed(_ path: String) {
    state.withLock { state in
      guard state.files.removeValue(forKey: path) != nil else { return }
      state.operations.append(.remove(path))
    }
  }

  func synchronized(_ path: String) {
    state.withLock { state in
      guard let file = state.files[path] else { return }
      state.operations.append(.synchronize(file: file))
    }
  }
}
