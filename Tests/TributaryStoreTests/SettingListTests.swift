import Testing
import TributaryCore
import TributarySQLite
import TributaryStore

/// Lists in the bookkeeping, whose items are names of tables.
struct SettingListTests {
  @Test(arguments: [
    [], [""], ["t"], ["a", "b"], ["a\nb", "c"], ["\\", "\\n", "n\\"], ["\r\n", ""],
    ["ä\n\nö", "x"],
  ])
  func `a list comes back as it was set, whatever its names contain`(names: [String]) throws {
    try withStore("CREATE TABLE t (k TEXT PRIMARY KEY)") { store in
      try store.store.service { connection in
        let settings = Settings(connection)
        try settings.set(.stopped, lines: names)
        #expect(try settings.lines(.stopped).map { Array($0.utf8) } == names.map { Array($0.utf8) })
        #expect(try (settings[.stopped] == nil) == names.isEmpty)
      }
    }
  }

  @Test func `names that need nothing else are one a line`() throws {
    try withStore("CREATE TABLE t (k TEXT PRIMARY KEY)") { store in
      try store.store.service { connection in
        try Settings(connection).set(.suspected, lines: ["a b", "c,d"])
        #expect(try Settings(connection).text(.suspected) == "a b\nc,d")
      }
    }
  }
}
