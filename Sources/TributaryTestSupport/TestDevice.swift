import Foundation
import Synchronization
import Tributary

/// A device of a `TestFleet`.
final class TestDevice: Sendable {
  let path: String
  let container: String
  let clock = TestClock()
  let files = MortalFileSystem()
  private let opened = Mutex<Store?>(nil)
  private let own = Mutex<Set<String>>([])

  init(_ name: String, in directory: String, sharing: Bool) throws {
    path = "\(directory)/\(name).sqlite"
    container = sharing ? "\(directory)/container" : "\(directory)/\(name)-container"
    try FileManager.default.createDirectory(
      atPath: container, withIntermediateDirectories: true)
  }

  /// The open store.
  var store: Store? {
    get { opened.withLock { $0 } }
    set {
      if let newValue { own.withLock { _ = $0.insert("\(newValue.peer)") } }
      opened.withLock { $0 = newValue }
    }
  }

  /// The directories of peers, below the container, that this device has made, under all its identities.
  func ownDirectories() throws -> Set<String> {
    if let store { own.withLock { _ = $0.insert("\(store.peer)") } }
    return own.withLock { $0 }
  }
}
