import Testing
import TributaryCore
import TributaryTesting

struct ConflictRuleTests {
  static func start() -> (Story, ReferenceTransaction) {
    var story = Story(table("t", ReferenceColumn("a"), ReferenceColumn("b")))
    let start = story.write(1, at: 1, insert(1, values: ["a": 0, "b": 0]))
    return (story, start)
  }

  @Test func `of concurrent writes of a column the earlier loses, and equal values do not`() {
    var (story, start) = Self.start()
    story.write(2, at: 2, knowing: [start], update(1, values: ["a": 1, "b": 5]))
    story.write(3, at: 3, knowing: [start], update(1, values: ["a": 2, "b": 5]))
    #expect(story.visible() == ["1 2 5"])
    #expect(story.conflicts == ["t 1 update a=1; 3.1 over 2.1"])
  }

  @Test func `who lost against several is told the latest, with all that was lost`() {
    var (story, start) = Self.start()
    story.write(2, at: 2, knowing: [start], update(1, values: ["a": 1, "b": 1]))
    story.write(3, at: 3, knowing: [start], update(1, values: ["b": 2]))
    story.write(4, at: 4, knowing: [start], update(1, values: ["a": 3]))
    #expect(story.conflicts == ["t 1 update a=1 b=1; 4.1 over 2.1"])
  }

  @Test func `a write by someone who knew both sides settles it`() {
    var (story, start) = Self.start()
    let one = story.write(2, at: 2, knowing: [start], update(1, values: ["a": 1, "b": 1]))
    let other = story.write(3, at: 3, knowing: [start], update(1, values: ["a": 2]))
    story.write(4, at: 4, knowing: [one, other], update(1, values: ["b": 4]))
    #expect(story.conflicts == ["t 1 update a=1; 3.1 over 2.1"])
    story.write(5, at: 5, knowing: [one, other], update(1, values: ["a": 1]))
    // The value that had lost is the row's now, and its rival was answered.
    #expect(story.visible() == ["1 1 4"])
    #expect(story.conflicts == [])
  }

  @Test func `a deletion wins over what it did not know, also when that came later`() {
    var (story, start) = Self.start()
    story.write(2, at: 2, knowing: [start], update(1, values: ["a": 1]))
    let deletion = story.write(3, at: 3, knowing: [start], delete(1))
    story.write(4, at: 4, knowing: [start], update(1, values: ["b": 2]))
    #expect(story.visible() == [])
    #expect(
      story.conflicts == ["t 1 delete a=1; 3.1 over 2.1", "t 1 delete b=2; 3.1 over 4.1"])
    story.write(5, at: 5, knowing: [deletion], insert(1, values: ["a": 1, "b": 3]))
    #expect(story.visible() == ["1 1 3"])
    #expect(story.conflicts == ["t 1 update b=2; 5.1 over 4.1"])
  }

  @Test func `an insert that lost is told with the spelling of the key that it had`() {
    var story = Story(
      ReferenceTable(
        name: "t", columns: [ReferenceColumn("k"), ReferenceColumn("a")],
        keyColumns: [ReferenceKeyColumn("k", collation: .nocase)]))
    story.write(1, at: 1, insert(in: "t", "x", values: ["a": 1]))
    story.write(2, at: 2, insert(in: "t", "X", values: ["a": 1]))
    #expect(story.visible() == ["'X' 1"])
    #expect(story.conflicts == ["t 'X' insert k='x'; 2.1 over 1.1"])
  }

  @Test func `a write with a basis is concurrent with all that came after it`() {
    var (story, start) = Self.start()
    let between = story.write(1, at: 2, update(1, values: ["a": 1]))
    #expect(story.conflicts == [])
    story.write(1, at: 3, basis: [start], update(1, values: ["a": 2]))
    #expect(story.visible() == ["1 2 0"])
    #expect(story.conflicts == ["t 1 update a=1; 1.3 over 1.2"])
    // The next one without a basis knows both.
    story.write(1, at: 4, knowing: [between], update(1, values: ["a": 3]))
    #expect(story.conflicts == [])
  }

  @Test func `counters add up, and an insert starts them anew`() {
    var story = Story(table("t", ReferenceColumn("n", policy: .counter)))
    let start = story.write(1, at: 1, insert(1))
    story.write(2, at: 2, knowing: [start], update(1, values: ["n": 5]))
    story.write(3, at: 3, knowing: [start], update(1, values: ["n": -2]))
    #expect(story.visible() == ["1 3"])
    #expect(story.conflicts == [])
    story.write(4, at: 4, knowing: [start], replace(1, values: ["n": 100]))
    story.write(5, at: 5, knowing: [start], update(1, values: ["n": 1]))
    #expect(story.visible() == ["1 101"])
    #expect(story.conflicts == [])
    story.write(6, at: 6, knowing: [start], delete(1))
    #expect(
      story.conflicts == [
        "t 1 delete k=1 n=100; 6.1 over 4.1", "t 1 delete n=-2; 6.1 over 3.1",
        "t 1 delete n=1; 6.1 over 5.1", "t 1 delete n=5; 6.1 over 2.1",
      ])
  }

  @Test func `max and min keep the larger and the smaller, and anything before NULL`() {
    var story = Story(
      table("t", ReferenceColumn("h", policy: .max), ReferenceColumn("l", policy: .min)))
    let start = story.write(1, at: 1, insert(1))
    story.write(2, at: 2, knowing: [start], update(1, values: ["h": 5, "l": 5]))
    #expect(story.visible() == ["1 5 5"])
    story.write(3, at: 3, knowing: [start], update(1, values: ["h": 4.5, "l": 4.5]))
    #expect(story.visible() == ["1 5 4.5"])
    story.write(4, at: 4, knowing: [start], update(1, values: ["h": "a", "l": .blob([])]))
    story.write(5, at: 5, knowing: [start], update(1, values: ["h": .null, "l": .null]))
    #expect(story.visible() == ["1 'a' 4.5"])
    #expect(story.conflicts == [])
  }

  @Test func `changes say what policies and merging by row want said`() {
    var table = table(
      "t", ReferenceColumn("n", policy: .counter), ReferenceColumn("a"), ReferenceColumn("b"))
    func changed() -> [ReferenceChange] {
      let schema = ReferenceSchema(tables: [table])
      var before = ReferenceContents()
      before.insert(["k": 1, "n": .null, "a": 1, "b": 1], into: table)
      var after = ReferenceContents()
      after.insert(["k": 1, "n": 3, "a": 2, "b": 1], into: table)
      return changes(before: before, after: after, reinserted: [], schema: schema)
    }
    #expect(changed() == [update(1, values: ["n": 3, "a": 2])])
    table.isMergedByRow = true
    #expect(changed() == [update(1, values: ["n": 3, "a": 2, "b": 1])])
  }
}
