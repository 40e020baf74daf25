import Foundation
import Synchronization
public import Tributary
import TributaryFiles

/// Some devices in a temporary directory, each with a store and a container of its own, between which files travel only
/// when the test delivers them.
///
///     let fleet = try TestFleet(schema: MusicLibrary.schema)
///     let (phone, laptop) = (try await fleet.open("phone"), try await fleet.open("laptop"))
///     try phone.write { try $0.execute("INSERT INTO album (title) VALUES ('Blue')") }
///     try fleet.exchange()
///     #expect(try laptop.digest() == phone.digest())
///
/// Stores synchronise only when told. The directory is in memory where the system has one, and is removed with the
/// fleet. A fleet is for one test: its methods are not to be called from several threads at a time.
public final class TestFleet: Sendable {
  /// The directory of everything.
  public let directory: String
  /// The options with which each device opens its store; `change` of `open` may change them.
  private let options: @Sendable (Container) -> StoreOptions
  private let devices = Mutex<[String: TestDevice]>([:])

  /// Makes a fleet without devices.
  public init(
    schema: Schema, contentName: String = "Test",
    options change: @escaping @Sendable (inout StoreOptions) -> Void = { _ in }
  ) throws {
    directory = try TestDirectory.make()
    options = { container in
      var options = StoreOptions(contentName: contentName, container: container, schema: schema)
      options.synchronizesAutomatically = false
      // No traces outside of the directory.
      options.environment.stateDirectory = nil
      // A crash leaves a copy of the file, which is the file all the same.
      options.environment.birth = { _ in 1 }
      change(&options)
      return options
    }
  }

  deinit {
    for device in devices.withLock({ Array($0.values) }) { device.store?.close() }
    // What cannot be removed does no harm.
    try? FileManager.default.removeItem(atPath: directory)
  }

  // MARK: Devices

  /// Opens the store of a device, which is new the first time.
  public func open(
    _ name: String, options change: @Sendable (inout StoreOptions) -> Void = { _ in }
  ) async throws -> Store {
    let device = try device(name)
    device.store?.close()
    var options = options(Container(expectedAt: device.container))
    options.peerName = name
    options.environment.clock = device.clock
    change(&options)
    let store = try await Store.open(at: device.path, options: options)
    device.store = store
    return store
  }

  /// The clock of a device.
  public func clock(of name: String) throws -> TestClock { try device(name).clock }

  /// The container of a device: its own directory, as a carrier would keep it in step with others.
  public func container(of name: String) throws -> String { try device(name).container }

  /// Closes the store of a device.
  public func close(_ name: String) throws {
    let device = try device(name)
    device.store?.close()
    device.store = nil
  }

  /// Ends the store of a device as if its process were killed now: what was committed is there when it is opened again,
  /// and nothing is done at its end.
  public func kill(_ name: String) throws {
    let device = try device(name)
    guard let store = device.store else { return }
    let files = ["", "-wal"].map { device.path + $0 }
    for file in files where FileManager.default.fileExists(atPath: file) {
      try FileManager.default.copyItem(atPath: file, toPath: file + ".killed")
    }
    store.close()
    device.store = nil
    for file in files + [device.path + "-shm"] {
      try TestDirectory.remove(file)
      guard FileManager.default.fileExists(atPath: file + ".killed") else { continue }
      try FileManager.default.moveItem(atPath: file + ".killed", toPath: file)
    }
  }

  /// Removes the database of a device, which is rebuilt from the logs when it is opened again.
  public func lose(_ name: String) throws {
    try close(name)
    let device = try device(name)
    for suffix in ["", "-wal", "-shm", "-witness"] {
      try TestDirectory.remove(device.path + suffix)
    }
  }

  private func device(_ name: String) throws -> TestDevice {
    if let known = devices.withLock({ $0[name] }) { return known }
    let device = try TestDevice(name, in: directory)
    devices.withLock { $0[name] = device }
    return device
  }

  private var all: [(name: String, device: TestDevice)] {
    devices.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.name < $1.name }
  }

  // MARK: Delivery

  /// Carries to the container of one device what another one has written into its own, or was brought.
  public func deliver(from source: String, to target: String) throws {
    try Carrier.carry(from: try device(source), to: try device(target))
  }

  /// Carries everything between all devices.
  public func deliver() throws {
    for (_, source) in all {
      for (_, target) in all where source !== target {
        try Carrier.carry(from: source, to: target)
      }
    }
  }

  /// Synchronises all open stores and carries everything, until all of them know everything.
  public func exchange() throws {
    for _ in 0..<3 {
      for (_, device) in all { try device.store?.synchronizeNow() }
      try deliver()
    }
    for (_, device) in all { try device.store?.synchronizeNow() }
  }
}
