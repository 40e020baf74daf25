import Foundation
import Testing

// Documents that another device has made or deleted.
extension DocumentCommandTests {
  @Test func `the store of a document that another device deleted publishes nothing again`() throws
  {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql")
      let store = try lines(ground.expect("b", "document", "open", path))[0]
      try ground.expect("a", "document", "delete", path)
      // A watch ends by itself.
      for option in ["--reseed", "--watch"] {
        let run = try ground.run("b", "sync", option, store)
        #expect(run.status == 1)
        #expect(run.errors.contains("\(path): the document was deleted"), "\(run.errors)")
        #expect(!run.errors.contains("--reseed"))
      }
      #expect(try ground.expect("b", "document", "list", "--json") == "")
      #expect(!FileManager.default.fileExists(atPath: store))
    }
  }

  @Test func `doctor says that the store of a document is not here, and makes none`() throws {
    try withGround { ground in
      let path = ground.documents + "/Trip.note"
      try ground.expect(
        "a", "document", "create", path, "--schema", ground.directory + "/schema.sql")
      let doctor = try ground.run("b", "doctor", "--json", path)
      #expect(doctor.status == 0, "\(doctor.errors)")
      #expect(doctor.output.contains(#""finding":"store-missing""#), "\(doctor.output)")
      #expect(!FileManager.default.fileExists(atPath: ground.directory + "/b/documents"))
      try ground.expect("b", "document", "open", path)
      #expect(try !ground.expect("b", "doctor", "--json", path).contains("store-missing"))
    }
  }
}
