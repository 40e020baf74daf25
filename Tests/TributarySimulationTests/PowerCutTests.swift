import Testing
import TributaryCore
import TributaryFiles
import TributarySimulation
import TributaryTesting

/// What a simulated disk leaves after a power cut.
struct PowerCutTests {
  static let own = PeerIdentity(high: 1, low: 2)
  static let directory = "\(SimulatedDisk.container)/tributary/H/peers/\(own)/log"
  static let path = "\(directory)/a"
  static let contents = [UInt8](repeating: 7, count: 100)

  static func makeFiles() throws -> SimulatedFileSystem {
    let files = SimulatedFileSystem(number: 0, seed: 0, clock: AdjustableClock())
    files.writers = [own]
    try files.makeDirectories(directory)
    return files
  }

  static func publish(_ bytes: [UInt8] = contents, in files: SimulatedFileSystem) throws {
    let file = try files.makeTemporary(in: directory)
    try bytes.span.bytes.withUnsafeBytes { try file.write($0) }
    try file.publish(as: "a")
  }

  @Test func `what was published survives`() throws {
    try withSeeds(0..<100) { random in
      let files = try Self.makeFiles()
      try Self.publish(in: files)
      files.disk.cutPower(using: &random)
      #expect(files.disk.paths(below: Self.directory) == [Self.path])
      #expect(files.disk.bytes(Self.path) == Self.contents)
    }
  }

  @Test func `what was not synchronised is there, gone, empty, cut short or zeros`() throws {
    var found: Set<String> = []
    try withSeeds(0..<200) { random in
      let files = try Self.makeFiles()
      let file = try files.makeTemporary(in: Self.directory)
      try Self.contents.span.bytes.withUnsafeBytes { try file.write($0) }
      files.disk.cutPower(using: &random)
      let left = files.disk.paths(below: Self.directory).first.flatMap { files.disk.bytes($0) }
      switch left {
      case nil: found.insert("gone")
      case []: found.insert("empty")
      case Self.contents: found.insert("whole")
      case let left? where left.allSatisfy { $0 == 0 }: found.insert("zeros")
      case let left? where left.contains(0): found.insert("partly zeros")
      case let left? where Self.contents.starts(with: left): found.insert("cut short")
      default: Issue.record("\(left as Any)")
      }
      withExtendedLifetime(file) {}
    }
    let all: Set = ["gone", "empty", "whole", "zeros", "partly zeros", "cut short"]
    #expect(chosenSeed != nil || found == all)
  }

  @Test func `a rename lasts only when its directory is synchronised`() throws {
    var found: Set<[String]> = []
    try withSeeds(0..<100) { random in
      let files = try Self.makeFiles()
      try Self.publish(in: files)
      try files.rename(Self.path, to: "\(Self.directory)/b")
      files.disk.cutPower(using: &random)
      found.insert(files.disk.paths(below: Self.directory).map(\.lastPathComponent))
    }
    #expect(chosenSeed != nil || found.isSuperset(of: [["a"], ["b"]]))
    try withSeeds(0..<100) { random in
      let files = try Self.makeFiles()
      try Self.publish(in: files)
      try files.rename(Self.path, to: "\(Self.directory)/b")
      try files.synchronizeDirectory(Self.directory)
      files.disk.cutPower(using: &random)
      #expect(files.disk.paths(below: Self.directory).map(\.lastPathComponent) == ["b"])
    }
  }

  @Test func `a disk that ignores synchronisation loses what was published`() throws {
    var losses = 0
    try withSeeds(0..<100) { random in
      let files = try Self.makeFiles()
      files.disk.ignoresSynchronization = true
      try Self.publish(in: files)
      files.disk.cutPower(using: &random)
      if files.disk.bytes(Self.path) != Self.contents { losses += 1 }
    }
    #expect(chosenSeed != nil || losses > 20)
  }
}
