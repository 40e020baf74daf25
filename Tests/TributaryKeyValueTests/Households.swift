import Foundation
import TributaryCore
import TributaryFiles
import TributaryKeyValue
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices with a key-value store each, which share a container.
final class Households {
  let directory: String
  var container: String { directory + "/shared" }

  init(in directory: String) throws {
    self.directory = directory
    try FileManager.default.createDirectory(
      atPath: directory + "/shared", withIntermediateDirectories: true)
  }

  func place(_ name: String, _ profile: KeyValueProfile? = nil) -> KeyValuePlace {
    KeyValuePlace(
      path: "\(directory)/\(name).sqlite", container: container, identifier: "com.example.app",
      profile: profile)
  }

  func device(
    _ name: String, _ profile: KeyValueProfile? = nil, interval: Duration = .seconds(1),
    flushLater: (@Sendable (Duration) -> Void)? = nil
  ) throws -> Device {
    let place = place(name, profile)
    _ = try place.attach()
    return try Device(place, interval: interval, flushLater: flushLater)
  }
}

/// A device: its engine, its session with the container, and what it was told.
final class Device {
  let engine: KeyValueEngine
  let session: SyncSession
  let changes: Recorded<KeyValueChange>

  init(
    _ place: KeyValuePlace, interval: Duration, flushLater: (@Sendable (Duration) -> Void)?
  ) throws {
    let changes = Recorded<KeyValueChange>()
    self.changes = changes
    engine = try KeyValueEngine(
      attached: place, interval: interval, flushLater: flushLater,
      didChange: { changes.append($0) })
    session = SyncSession(store: engine.store!, environment: place.environment)
  }

  func synchronize() throws {
    let report = try session.synchronize(didImport: engine.note)
    if let failure = report.failure { throw failure }
  }

  /// The time of the device's last transaction.
  func lastTime() throws -> HybridTime? {
    try engine.store!.service { try Outbox($0).last()?.time }
  }

  func transactions() throws -> UInt64 {
    try engine.store!.service { try Outbox($0).last()?.sequence.rawValue ?? 0 }
  }

  func contents() throws -> [String: PropertyListValue] {
    Dictionary(
      uniqueKeysWithValues: try engine.values().map { ($0.key, $0.value.propertyListValue!) })
  }

  func conflicts() throws -> Int64 {
    try engine.store!.service { try $0.integer("SELECT count(*) FROM tributary_conflict") ?? 0 }
  }
}

/// Synchronises all until each knows everything.
func meet(_ devices: [Device]) throws {
  for _ in 0..<2 { for device in devices { try device.synchronize() } }
}
