import Foundation
import Testing
import TributaryFiles
import TributarySync
import TributaryTesting

struct ContainerPlaceTests {
  @Test func `a container that is gone is told, and since when`() throws {
    try withDoctor { doctor in
      try FileManager.default.moveItem(
        atPath: doctor.devices.container, toPath: doctor.devices.container + "-away")
      try doctor.a.execute("INSERT INTO t VALUES (3, 'three')")
      #expect(try doctor.diagnose("a") == ["note unpublished", "warning container-absent"])
      _ = try doctor.a.synchronize()
      let finding = try #require(try doctor.findings("a").last)
      #expect(finding.code == .containerAbsent)
      #expect(finding.path == doctor.devices.container)
      #expect(finding.explanation.contains(", since 20"))
    }
  }

  @Test func `a dead mount and a wiped container are told apart`() throws {
    try withDoctor { doctor in
      let own = try doctor.directory(doctor.a)
      try FileManager.default.removeItem(atPath: own)
      let wiped = try #require(try doctor.findings("a").last)
      #expect(wiped.code == .containerWiped)
      #expect(wiped.path == own)
      #expect(wiped.explanation.contains("wiped or replaced"))
      try FileManager.default.removeItem(atPath: doctor.devices.container)
      try FileManager.default.createDirectory(
        atPath: doctor.devices.container, withIntermediateDirectories: false)
      let empty = try #require(try doctor.findings("a").last)
      #expect(empty.code == .containerWiped)
      #expect(empty.explanation.contains("is empty"))
    }
  }

  @Test func `a container that cannot be written is told with the reason`() throws {
    try withDoctor { doctor in
      var files = ProbedFileSystem()
      files.volume = VolumeStatus(availableByteCount: 1 << 40, isReadOnly: true)
      #expect(
        try doctor.diagnose("a", StoreEnvironment(fileSystem: files)) == [
          "warning container-read-only"
        ])
      files.volume = VolumeStatus(availableByteCount: 1000, isReadOnly: false)
      #expect(
        try doctor.diagnose("a", StoreEnvironment(fileSystem: files)) == ["warning container-full"])
      files.volume = VolumeStatus(
        availableByteCount: 1 << 40, availableFileCount: 0, isReadOnly: false)
      #expect(
        try doctor.diagnose("a", StoreEnvironment(fileSystem: files)) == ["warning container-full"])
      files.volume = nil
      files.unwritable = ["/log"]
      let finding = try #require(
        try doctor.findings("a", StoreEnvironment(fileSystem: files)).first)
      #expect(finding.text == "warning permission")
      #expect(try finding.path == doctor.directory(doctor.a) + "/log")
      #expect(finding.explanation.contains("runs as user 1000"))
      #expect(finding.explanation.contains("mode 0700"))
    }
  }

  @Test func `a directory of baselines that may not be written is found`() throws {
    try withDoctor { doctor in
      let path = try doctor.directory(doctor.a) + "/baseline"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      var files = ProbedFileSystem()
      files.unwritable = ["/baseline"]
      let finding = try #require(
        try doctor.findings("a", StoreEnvironment(fileSystem: files)).first)
      #expect(finding.text == "warning permission")
      #expect(finding.path == path)
    }
  }

  @Test func `a file in place of the log is not told as a lack of permission`() throws {
    try withDoctor { doctor in
      let path = try doctor.directory(doctor.a) + "/log"
      try FileManager.default.removeItem(atPath: path)
      try Data("hello".utf8).write(to: URL(filePath: path))
      let found = try doctor.findings("a", StoreEnvironment()).filter { $0.path == path }
      #expect(found.contains { $0.explanation.contains("log is not a directory") })
      #expect(found.allSatisfy { $0.code != .permission })
    }
  }

  @Test func `files that may not be read are told with whose they are, and hide no others`() throws
  {
    try withDoctor { doctor in
      let segment = try doctor.segments(doctor.b)[0]
      let log = try doctor.directory(doctor.a) + "/log"
      var files = ProbedFileSystem()
      files.closed = [segment]
      let finding = try #require(
        try doctor.findings("a", StoreEnvironment(fileSystem: files)).first)
      #expect(finding.text == "warning permission")
      #expect(finding.path == segment)
      #expect(try finding.peer?.description == doctor.peer(doctor.b))
      #expect(finding.explanation.contains("runs as user 1000"))
      files.closed = [log, segment]
      let codes = try doctor.diagnoseContainer(StoreEnvironment(fileSystem: files))
      #expect(codes.filter { $0 == "warning permission" }.count == 2)
      files.closed = [doctor.devices.container]
      #expect(throws: FileError.self) {
        try doctor.diagnoseContainer(StoreEnvironment(fileSystem: files))
      }
    }
  }

  @Test func `names that some carriers take for one are told`() throws {
    try withDoctor { doctor in
      try FileManager.default.createDirectory(
        atPath: doctor.devices.container + "/tributary/c", withIntermediateDirectories: false)
      #expect(try doctor.diagnose("a") == ["warning name-collision"])
      #expect(try doctor.diagnoseContainer() == ["warning name-collision"])
    }
  }
}
