import Testing
import TributaryCore
import TributaryTesting

/// Rows that several devices made with equal values, and that are one.
struct IdentityRuleTests {
  private static func artists(unique: Bool = false) -> ReferenceTable {
    let name = ReferenceKeyColumn("name", collation: .nocase)
    var artist = table(
      "artist", ReferenceColumn("name"), ReferenceColumn("born"), generated: true,
      unique: unique ? [ReferenceUniqueKey([name])] : [])
    artist.identifyingColumns = [name]
    return artist
  }

  private static let albums = table(
    "album", ReferenceColumn("artist"), generated: true,
    foreign: [reference("artist", to: "artist")])

  @Test(arguments: [false, true])
  func `rows inserted apart with equal values are one under the earlier number`(unique: Bool) {
    var story = Story(Self.artists(unique: unique), Self.albums)
    story.write(1, at: 1, insert(in: "artist", 7, values: ["name": "Miles", "born": 1926]))
    story.write(
      2, at: 2, insert(in: "artist", 4, values: ["name": "MILES", "born": 1926]),
      insert(in: "album", 1, values: ["artist": 4]))
    // Later writes of the column neither part nor join.
    story.write(2, at: 3, update(in: "artist", 4, values: ["name": "Davis"]))
    #expect(story.visible("artist") == ["7 'Davis' 1926"])
    #expect(story.visible("album") == ["1 7"])
    #expect(story.held("artist") == [])
  }

  @Test func `who knew the other row has made a second one, and three that knew nothing are one`() {
    var story = Story(Self.artists(), Self.albums)
    let first = story.write(1, at: 1, insert(in: "artist", 1, values: ["name": "x"]))
    story.write(2, at: 2, insert(in: "artist", 2, values: ["name": "x"]))
    story.write(3, at: 3, insert(in: "artist", 3, values: ["name": "x"]))
    story.write(4, at: 4, knowing: [first], insert(in: "artist", 4, values: ["name": "x"]))
    // Twice on one device is twice everywhere.
    story.write(5, at: 5, insert(in: "artist", 5, values: ["name": "x"]))
    story.write(5, at: 6, insert(in: "artist", 6, values: ["name": "x"]))
    #expect(story.visible("artist") == ["1 'x' NULL", "4 'x' NULL"])
    // NULL equals nothing.
    story.write(6, at: 7, insert(in: "artist", 8, values: ["name": .null]))
    story.write(7, at: 8, insert(in: "artist", 9, values: ["name": .null]))
    #expect(story.visible("artist").count == 4)
  }

  @Test func `a number that was given twice goes to the row that it is the same as`() {
    var story = Story(Self.artists(), Self.albums)
    story.write(1, at: 1, insert(in: "artist", 1, values: ["name": "a"]))
    story.write(1, at: 2, insert(in: "artist", 2, values: ["name": "b"]))
    story.write(2, at: 3, insert(in: "artist", 1, values: ["name": "b"]))
    story.write(2, at: 4, insert(in: "artist", 2, values: ["name": "a"]))
    for number in [1, 2] as [Int64] {
      story.write(
        2, at: UInt64(number) + 4,
        insert(in: "album", .integer(number), values: ["artist": .integer(number)]))
    }
    #expect(story.visible("artist") == ["1 'a' NULL", "2 'b' NULL"])
    #expect(story.visible("album") == ["1 2", "2 1"])
    #expect(story.conflicts == [])
  }

  @Test func `what refers to rows that are one is equal where it makes rows the same`() {
    var permission = table(
      "permission", ReferenceColumn("type"), ReferenceColumn("name"), generated: true,
      foreign: [reference("type", to: "artist")])
    permission.identifyingColumns = [ReferenceKeyColumn("type"), ReferenceKeyColumn("name")]
    var story = Story(Self.artists(), permission)
    for (author, type) in [(1, 3), (2, 5)] as [(UInt64, Int64)] {
      story.write(
        author, at: author, insert(in: "artist", .integer(type), values: ["name": "track"]),
        insert(
          in: "permission", .integer(type + 10), values: ["type": .integer(type), "name": "add"]))
    }
    #expect(story.visible("artist") == ["3 'track' NULL"])
    #expect(story.visible("permission") == ["13 3 'add'"])
    #expect(story.conflicts == [])
  }

  @Test func `rows that refer to a circle come after it`() {
    var node = table(
      "node", ReferenceColumn("parent"), ReferenceColumn("name"), generated: true,
      foreign: [reference("parent", to: "node")])
    node.foreignKeys[0].isEnforced = false
    node.identifyingColumns = [ReferenceKeyColumn("parent"), ReferenceKeyColumn("name")]
    var story = Story(node)
    story.write(
      1, at: 1, insert(in: "node", 1, values: ["parent": 0, "name": "c"]),
      insert(in: "node", 2, values: ["parent": 1, "name": "d"]))
    story.write(
      2, at: 2, insert(in: "node", 3, values: ["parent": 0, "name": "c"]),
      insert(in: "node", 0, values: ["parent": 3, "name": "z"]),
      insert(in: "node", 4, values: ["parent": 3, "name": "d"]))
    #expect(story.visible("node") == ["0 1 'z'", "1 0 'c'", "2 1 'd'"])
    #expect(story.conflicts == [])
  }

  @Test func `a deletion of one is a deletion of both, and says so`() {
    var story = Story(Self.artists(), Self.albums)
    story.write(1, at: 1, insert(in: "artist", 1, values: ["name": "x"]))
    story.write(2, at: 2, insert(in: "artist", 2, values: ["name": "x"]))
    story.write(2, at: 3, delete(in: "artist", 2))
    #expect(story.visible("artist") == [])
    #expect(story.conflicts.count == 1)
  }

  @Test func `who had the row under another number means nobody by that which it was given`() {
    let loose = ReferenceForeignKey(
      ["artist"], to: "artist", [ReferenceKeyColumn("k")], onDelete: .noAction)
    var note = table("note", ReferenceColumn("artist"), generated: true, foreign: [loose])
    note.foreignKeys[0].isEnforced = false
    var story = Story(Self.artists(), note)
    let first = story.write(1, at: 1, insert(in: "artist", 7, values: ["name": "x"]))
    let second = story.write(2, at: 2, insert(in: "artist", 4, values: ["name": "x"]))
    story.write(2, at: 3, insert(in: "note", 1, values: ["artist": 4]))
    story.write(3, at: 4, knowing: [first, second], insert(in: "note", 2, values: ["artist": 4]))
    #expect(story.visible("note") == ["1 7", "2 4"])
    // Until somebody gives it again.
    story.write(
      3, at: 5, insert(in: "artist", 4, values: ["name": "y"]),
      insert(in: "note", 3, values: ["artist": 4]))
    #expect(story.visible("artist") == ["4 'y' NULL", "7 'x' NULL"])
    #expect(story.visible("note") == ["1 7", "2 4", "3 4"])
  }
}
