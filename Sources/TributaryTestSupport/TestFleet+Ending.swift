import Foundation
public import Tributary

/// How stores end.
extension TestFleet {
  /// Closes the store of a device.
  public func close(_ name: String) throws {
    let device = try known(name)
    device.store?.close()
    device.store = nil
  }

  /// Ends the store of a device as if its process were killed now: what was committed is there when it is opened again,
  /// and nothing is done at its end.
  public func kill(_ name: String) throws {
    let device = try known(name)
    guard device.store != nil else { return }
    let image = DeviceImage(of: device, includingContainer: false)
    image.take()
    try close(name)
    try image.restore()
  }

  /// Runs `body`, and ends the store as if its process were killed in the middle of it: before one of the operations on
  /// files that the store does besides those of SQLite, such as writing a segment, giving it its name, or reading one of
  /// another device. All files stay as they are at that moment, temporary ones and an unfinished transaction included.
  ///
  ///     if try fleet.crash("phone", beforeOperation: 7, during: { try $0.synchronizeNow() }) {
  ///       let phone = try await fleet.open("phone")
  ///       try phone.synchronizeNow()  // Nothing is lost.
  ///     }
  ///
  /// It shows what a killed process leaves, not what a power cut does: nothing that was written is lost.
  ///
  /// - Parameter operation: 1 is the first one.
  /// - Returns: whether the store has ended, after which `open` opens it again; `false` if `body` did fewer operations, and
  ///   has come to its end.
  /// - Throws: `TestFleetError` if the store is not open; what `body` throws unless the store has ended.
  public func crash(
    _ name: String, beforeOperation operation: Int, during body: (Store) throws -> Void
  ) throws -> Bool {
    let device = try device(name)
    guard let store = device.store else {
      throw TestFleetError(message: "the store of \(name) is not open", remedy: "call open first")
    }
    guard operation > 0 else {
      throw TestFleetError(
        message: "there is no operation \(operation)", remedy: "count from 1")
    }
    let image = DeviceImage(of: device, includingContainer: true)
    device.files.die(beforeOperation: operation) { image.take() }
    let result = Result { try body(store) }
    guard device.files.isDead else {
      device.files.revive()
      try result.get()
      return false
    }
    // Whatever it has thrown, nobody is there to see.
    try close(name)
    device.files.revive()
    try image.restore()
    return true
  }

  /// Removes the database of a device, which is rebuilt from the logs when it is opened again.
  public func lose(_ name: String) throws {
    try close(name)
    let device = try known(name)
    for suffix in ["", "-wal", "-shm", "-witness"] {
      try TestDirectory.remove(device.path + suffix)
    }
  }
}
