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
  private let containers: Containers
  private let devices = Mutex<[String: TestDevice]>([:])

  /// What the devices have for a container.
  public enum Containers: Hashable, Sendable {
    /// Each has its own, between which the test delivers files.
    case separate
    /// All have one directory: what one device publishes is there for the others at once, and nothing is delivered.
    case shared
  }

  /// Makes a fleet without devices.
  public init(
    schema: Schema, contentName: String = "Test", containers: Containers = .separate,
    options change: @escaping @Sendable (inout StoreOptions) -> Void = { _ in }
  ) throws {
    directory = try TestDirectory.make()
    self.containers = containers
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
    options.environment.fileSystem = device.files
    change(&options)
    let store = try await Store.open(at: device.path, options: options)
    device.store = store
    return store
  }

  /// The clock of a device.
  public func clock(of name: String) throws -> TestClock { try device(name).clock }

  /// The container of a device: its own directory, as a carrier would keep it in step with others, or the shared one.
  public func container(of name: String) throws -> String { try device(name).container }

  /// Returns a device that the test has opened, or named as one to which files are delivered, or whose clock or container it
  /// wants.
  ///
  /// - Throws: `TestFleetError` if there is none: with a name that is spelled wrong, nothing would happen.
  func known(_ name: String) throws -> TestDevice {
    if let known = devices.withLock({ $0[name] }) { return known }
    let names = all.map(\.name)
    throw TestFleetError(
      message: "the fleet has no device \(name)"
        + (names.isEmpty ? "" : ", only \(names.joined(separator: ", "))"),
      remedy: "open it first, or correct its name")
  }

  /// Returns a device, which is new if nobody has named it before.
  func device(_ name: String) throws -> TestDevice {
    if let known = devices.withLock({ $0[name] }) { return known }
    // It becomes the name of files in the directory of the fleet.
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != 0 }) else {
      throw TestFleetError(
        message: "'\(name)' cannot be the name of a device", remedy: "use letters and digits")
    }
    let device = try TestDevice(name, in: directory, sharing: containers == .shared)
    devices.withLock { $0[name] = device }
    return device
  }

  var all: [(name: String, device: TestDevice)] {
    devices.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.name < $1.name }
  }
}
