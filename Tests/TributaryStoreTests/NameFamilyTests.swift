import Testing
import TributaryCore
import TributaryStore

/// All names of a table or column, and the newest.
struct NameFamilyTests {
  private func names(_ lines: String...) -> NameChanges {
    NameChanges(lines.compactMap { NameChange($0) })
  }

  @Test(arguments: ["a", "b", "C"] as [SQLName], ["x", "Y", "z"] as [SQLName])
  func `every name leads to all others and to the newest`(table: SQLName, column: SQLName) {
    let names = names(
      "rename a to b", "rename b.x to b.y", "rename b to c", "rename c.y to c.z",
      "rename other.x to other.w", "drop c.v")
    #expect(names.names(of: table) == ["a", "b", "c"])
    #expect(names.newestName(ofTable: table) == "c")
    #expect(names.names(ofColumn: column, of: table) == ["x", "y", "z"])
    #expect(names.newestName(ofColumn: column, of: table) == "z")
    #expect(names.newestName(ofColumn: "x", of: "other") == "w")
    #expect(names.newestName(ofColumn: "x", of: "alien") == "x")
    #expect(names.newestName(ofTable: "alien") == "alien")
  }

  @Test(arguments: ["a", "b", "c"] as [SQLName])
  func `two names that devices have given to one thing are one, and so is one that came back`(
    name: SQLName
  ) {
    #expect(names("rename a to c", "rename a to b").newestName(ofTable: name) == "b")
    let back = names("rename a to b", "rename b to c", "rename c to a")
    #expect(back.newestName(ofTable: name) == "a")
    let columns = names("rename t.a to t.c", "rename t.a to t.b")
    #expect(columns.newestName(ofColumn: name, of: "t") == "b")
  }
}
