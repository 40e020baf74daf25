import Testing
import TributaryCore
import TributaryTesting

struct NumberingRuleTests {
  static let numbered = table("t", ReferenceColumn("x"), generated: true)

  @Test func `of two rows with one number the later one gets a fresh number`() {
    var story = Story(Self.numbered)
    story.write(1, at: 1, insert(1, values: ["x": "a"]))
    story.write(2, at: 2, insert(1, values: ["x": "b"]))
    story.write(3, at: 3, insert(1, values: ["x": "c"]))
    #expect(story.visible() == ["-311 'c'", "-211 'b'", "1 'a'"])
    #expect(story.conflicts == [])
  }

  @Test func `what an author writes under a number goes to the row that it saw there`() {
    var story = Story(Self.numbered)
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    let second = story.write(2, at: 2, insert(1, values: ["x": "b"]))
    story.write(2, at: 3, update(1, values: ["x": "c"]))
    story.write(3, at: 4, knowing: [second], update(1, values: ["x": "d"]))
    story.write(4, at: 5, knowing: [first, second], update(1, values: ["x": "e"]))
    #expect(story.visible() == ["-211 'd'", "1 'e'"])
    #expect(story.conflicts == ["t -211 update x='c'; 3.1 over 2.2"])
  }

  @Test func `a row that was deleted before they meet keeps its number all the same`() {
    var story = Story(Self.numbered)
    story.write(1, at: 1, insert(1, values: ["x": "a"]))
    story.write(1, at: 3, delete(1))
    story.write(2, at: 2, insert(1, values: ["x": "b"]))
    #expect(story.visible() == ["-211 'b'"])
    #expect(story.conflicts == [])
    // And the number can be given again by someone who knew the first.
    story.write(1, at: 4, insert(1, values: ["x": "c"]))
    #expect(story.visible() == ["-211 'b'", "1 'c'"])
  }

  @Test func `a displaced row can be deleted and inserted again under its old number`() {
    var story = Story(Self.numbered)
    story.write(1, at: 1, insert(1, values: ["x": "a"]))
    story.write(2, at: 2, insert(1, values: ["x": "b"]))
    story.write(2, at: 3, delete(1))
    story.write(2, at: 4, insert(1, values: ["x": "c"]))
    #expect(story.visible() == ["-231 'c'", "1 'a'"])
  }

  @Test func `adopted rows are one row, and so are those that are inserted alike`() {
    var story = Story(Self.numbered)
    story.write(1, at: 0, insert(1, values: ["x": "a"]))
    story.write(2, at: 0, insert(1, values: ["x": "b"]))
    #expect(story.visible() == ["1 'b'"])
    #expect(story.conflicts == ["t 1 insert x='a'; 2.1 over 1.1"])
    story.write(3, at: 1, insert(1, values: ["x": "c"]))
    #expect(story.visible() == ["-311 'c'", "1 'b'"])

    var alike = Story(Self.numbered)
    alike.write(1, at: 1, insert(1, values: ["x": "a"]))
    alike.write(2, at: 2, insert(1, values: ["x": "a"]))
    #expect(alike.visible() == ["1 'a'"])
    #expect(alike.conflicts == [])
  }

  @Test func `equal rows under a number that SQLite does not give are one, children too`() {
    var story = Story(
      Self.numbered,
      table("c", ReferenceColumn("t"), generated: true, foreign: [reference("t", to: "t")]))
    let parent = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    for author in [2, 3] as [UInt64] {
      story.write(author, at: author, knowing: [parent], insert(in: "c", -5, values: ["t": 1]))
      story.write(author, at: author + 10, insert(in: "c", 5, values: ["t": 1]))
    }
    #expect(story.visible("c") == ["-325 1", "-5 1", "5 1"])
    #expect(story.conflicts == [])
  }

  @Test func `a fresh number is that of its row as soon as somebody has given the number twice`() {
    var story = Story(Self.numbered)
    story.write(2, at: 2, insert(1, values: ["x": "b"]))
    // A database that joins has the row under its fresh number, from logs that are missing.
    story.write(3, at: 0, replace(-211, values: ["x": "c"]))
    #expect(story.visible() == ["-211 'c'", "1 'b'"])
    story.write(1, at: 1, insert(1, values: ["x": "a"]))
    #expect(story.visible() == ["-211 'b'", "1 'a'"])
    #expect(story.conflicts == ["t -211 insert x='c'; 2.1 over 3.1"])
  }

  @Test func `what displaced is displaced itself keeps nobody out`() {
    var story = Story(Self.numbered)
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    story.write(2, at: 2, insert(1, values: ["x": "b"]))
    // Knows the first alone, which it deleted.
    let gone = story.write(3, at: 3, knowing: [first], delete(1))
    story.write(3, at: 4, knowing: [gone], insert(1, values: ["x": "c"]))
    #expect(story.visible() == ["-211 'b'", "1 'c'"])
  }

  @Test func `a replacement is no numbering, and natural keys have none`() {
    var story = Story(Self.numbered)
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    story.write(1, at: 2, replace(1, values: ["x": "b"]))
    story.write(2, at: 3, knowing: [first], replace(1, values: ["x": "c"]))
    #expect(story.visible() == ["1 'c'"])
    #expect(story.conflicts == ["t 1 insert x='b'; 2.1 over 1.2"])

    var natural = Self.numbered
    natural.hasNaturalKeys = true
    var other = Story(natural)
    other.write(1, at: 1, insert(1, values: ["x": "a"]))
    other.write(2, at: 2, insert(1, values: ["x": "b"]))
    #expect(other.visible() == ["1 'b'"])
    #expect(other.conflicts == ["t 1 insert x='a'; 2.1 over 1.1"])
  }

  @Test func `children follow their parent, those of later authors too`() {
    var story = Story(
      Self.numbered,
      table("c", ReferenceColumn("t"), generated: true, foreign: [reference("t", to: "t")]))
    story.write(1, at: 1, insert(1, values: ["x": "a"]), insert(in: "c", 1, values: ["t": 1]))
    let second = story.write(
      2, at: 2, insert(1, values: ["x": "b"]), insert(in: "c", 2, values: ["t": 1]))
    story.write(3, at: 3, knowing: [second], insert(in: "c", 3, values: ["t": 1]))
    #expect(story.visible() == ["-211 'b'", "1 'a'"])
    #expect(story.visible("c") == ["1 1", "2 -211", "3 -211"])
    #expect(story.conflicts == [])
  }

  @Test func `children that store the number otherwise follow it in their spelling`() {
    let key = ReferenceForeignKey(["t"], to: "t", [ReferenceKeyColumn("k", affinity: .numeric)])
    var story = Story(
      Self.numbered, table("c", ReferenceColumn("t"), generated: true, foreign: [key]))
    for author in [1, 2] as [UInt64] {
      let base = Int64(author) * 10
      story.write(
        author, at: author, insert(1, values: ["x": .integer(base)]),
        insert(in: "c", .integer(base + 1), values: ["t": "1"]),
        insert(in: "c", .integer(base + 2), values: ["t": " 01"]),
        insert(in: "c", .integer(base + 3), values: ["t": 1.0]),
        insert(in: "c", .integer(base + 4), values: ["t": "one"]))
    }
    #expect(
      story.visible("c") == [
        "11 '1'", "12 ' 01'", "13 1.0", "21 '-211'", "22 ' -0211'", "23 -211.0",
      ])
    #expect(story.held("c") == ["14 'one'", "24 'one'"])
  }

  @Test func `key columns follow, through two tables too`() {
    var story = Story(
      Self.numbered,
      table("one", ReferenceColumn("x"), generated: true, foreign: [reference("k", to: "t")]),
      ReferenceTable(
        name: "many", columns: [ReferenceColumn("one"), ReferenceColumn("n")],
        keyColumns: [ReferenceKeyColumn("n"), ReferenceKeyColumn("one")],
        foreignKeys: [reference("one", to: "one")]))
    for author in [1, 2] as [UInt64] {
      let x = Value.integer(Int64(author))
      story.write(
        author, at: author, insert(1, values: ["x": x]), insert(in: "one", 1, values: ["x": x]),
        insert(in: "many", 5, 1))
      story.write(author, at: author + 10, update(in: "one", 1, values: ["x": .integer(10)]))
    }
    #expect(story.visible() == ["-211 2", "1 1"])
    #expect(story.visible("one") == ["-211 10", "1 10"])
    #expect(story.visible("many") == ["-211 5", "1 5"])
    #expect(story.conflicts == [])
  }

  @Test func `a write means the rows that SQLite found, whatever it is based on`() {
    var story = Story(Self.numbered)
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    let own = story.write(2, at: 2, insert(1, values: ["x": "b"]))
    story.write(2, at: 3, knowing: [first], basis: [own], update(1, values: ["x": "c"]))
    #expect(story.visible() == ["-211 'b'", "1 'c'"])
    // Nor is a number given again by someone who saw that it was free.
    let deletion = story.write(1, at: 4, delete(1))
    story.write(3, at: 5, knowing: [deletion], basis: [], insert(1, values: ["x": "d"]))
    #expect(story.visible() == ["-211 'b'", "1 'd'"])
  }
}
