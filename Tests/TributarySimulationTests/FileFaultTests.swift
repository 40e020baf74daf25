import Glibc
import Testing
import TributaryCore
import TributaryFiles
import TributarySimulation
import TributaryTesting

/// Faults of the simulated file system.
struct FileFaultTests {
  static let path = PowerCutTests.path

  /// The number of operations that publishing takes.
  private func countOperations() throws -> Int {
    let files = try PowerCutTests.makeFiles()
    files.driver.start()
    try PowerCutTests.publish(in: files)
    return files.driver.count
  }

  @Test(arguments: FileFault.codes)
  func `each operation fails when it is to fail, and the file is whole or not there`(
    code: Int32
  ) throws {
    for operation in 1...(try countOperations()) {
      let files = try PowerCutTests.makeFiles()
      files.driver.start([(at: operation, fault: .failure(code))])
      let error = #expect(throws: FileError.self) { try PowerCutTests.publish(in: files) }
      #expect(error?.code == code)
      #expect(files.driver.happened == [.failure(code)])
      #expect([nil, PowerCutTests.contents].contains(files.disk.bytes(Self.path)))
      #expect(files.disk.paths(below: PowerCutTests.directory).allSatisfy { $0 == Self.path })
    }
  }

  @Test func `a killed process changes nothing any more`() throws {
    for operation in 1...(try countOperations()) {
      let files = try PowerCutTests.makeFiles()
      files.driver.start([(at: operation, fault: .kill)])
      #expect(throws: FileError.self) { try PowerCutTests.publish(in: files) }
      let left = files.disk.paths(below: PowerCutTests.directory)
      // Nobody is left to remove the temporary file.
      #expect(left.count == (operation == 1 ? 0 : 1))
      #expect(throws: FileError.self) { try files.remove(Self.path) }
      #expect(throws: FileError.self) { _ = try files.makeTemporary(in: PowerCutTests.directory) }
      #expect(files.disk.paths(below: PowerCutTests.directory) == left)
    }
  }

  @Test func `short reads bring everything in the end`() throws {
    let files = try PowerCutTests.makeFiles()
    try PowerCutTests.publish(in: files)
    files.driver.start([(at: 1, fault: .shortReads)])
    #expect(try files.read(Self.path, limit: 1000) == PowerCutTests.contents)
    #expect(files.driver.count > 10)
  }

  @Test func `a write that is cut short leaves no file`() throws {
    let files = try PowerCutTests.makeFiles()
    files.driver.start([(at: 1, fault: .shortWrite)])
    let error = #expect(throws: FileError.self) { try PowerCutTests.publish(in: files) }
    #expect(error?.code == ENOSPC)
    #expect(files.disk.paths(below: PowerCutTests.directory) == [])
  }

  @Test(arguments: MountState.allCases)
  func `what is in the container is as it was when it is back`(state: MountState) throws {
    let files = try PowerCutTests.makeFiles()
    try PowerCutTests.publish(in: files)
    files.mount(state)
    let canRead = [.normal, .readOnly, .full].contains(state)
    #expect((try? files.status(Self.path)) != nil || !canRead)
    #expect(((try? files.list(SimulatedDisk.container)) ?? []).isEmpty != canRead)
    if state != .normal {
      #expect(throws: FileError.self) { try PowerCutTests.publish(in: files) }
    }
    files.mount(.normal)
    #expect(files.disk.paths(below: PowerCutTests.directory) == [Self.path])
    #expect(files.disk.bytes(Self.path) == PowerCutTests.contents)
  }

  @Test func `whoever writes to another's directory, or under a mount point, is seen`() throws {
    let files = try PowerCutTests.makeFiles()
    #expect(files.violations == [])
    let other = PowerCutTests.directory.replacing("\(PowerCutTests.own)", with: "0123")
    try files.makeDirectories(other)
    #expect(files.violations.count == 1)
    files.mount(.empty)
    try files.makeDirectories(PowerCutTests.directory)
    #expect(files.violations.count == 2)
  }
}
