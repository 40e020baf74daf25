import Testing
import TributaryCore
import TributaryTesting

/// What becomes of rows whose number SQLite has given to another row while they were held.
struct TakeoverRuleTests {
  /// What a commit says that gives a new row the number of a held one.
  private func takeover(_ number: Int64, _ x: Value) -> [ReferenceChange] {
    [update(.integer(number), values: [:]), insert(.integer(number), values: ["x": x])]
  }

  @Test func `a row whose number was taken over goes on under another one`() {
    var story = Story(NumberingRuleTests.numbered)
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    let changes = takeover(1, "b")
    let second = story.write(2, at: 2, knowing: [first], changes[0], changes[1])
    #expect(story.visible() == ["-1 'a'", "1 'b'"])
    // What others write means the row that they saw.
    story.write(3, at: 3, knowing: [first], update(1, values: ["x": "c"]))
    story.write(4, at: 4, knowing: [second], update(1, values: ["x": "d"]))
    #expect(story.visible() == ["-1 'c'", "1 'd'"])
    #expect(story.conflicts == [])
  }

  @Test func `a number that several take over is taken from one row once`() {
    var story = Story(NumberingRuleTests.numbered)
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    for author in [2, 3, 4] as [UInt64] {
      let changes = takeover(1, "same")
      story.write(author, at: author, knowing: [first], changes[0], changes[1])
    }
    #expect(story.visible() == ["-411 'same'", "-311 'same'", "-1 'a'", "1 'same'"])
    #expect(story.conflicts == [])
  }

  @Test func `a number that was taken over can be taken over again`() {
    var story = Story(NumberingRuleTests.numbered)
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    let changes = ["b", "c", "d"].map { takeover(1, $0) }
    let second = story.write(2, at: 2, knowing: [first], changes[0][0], changes[0][1])
    let third = story.write(3, at: 3, knowing: [second], changes[1][0], changes[1][1])
    #expect(story.visible() == ["-211 'b'", "-1 'a'", "1 'c'"])
    // One that knew the second alone comes too late, and has taken the number from that.
    story.write(4, at: 4, knowing: [second], changes[2][0], changes[2][1])
    #expect(story.visible() == ["-411 'd'", "-211 'b'", "-1 'a'", "1 'c'"])
    story.write(5, at: 5, knowing: [third], delete(1))
    story.write(5, at: 6, insert(1, values: ["x": "e"]))
    #expect(story.visible() == ["-411 'd'", "-211 'b'", "-1 'a'", "1 'e'"])
  }

  @Test func `a row that nobody knew of when the number was taken over does not have it`() {
    var story = Story(NumberingRuleTests.numbered)
    let first = story.write(1, at: 2, insert(1, values: ["x": "a"]))
    let changes = takeover(1, "b")
    story.write(2, at: 3, knowing: [first], changes[0], changes[1])
    story.write(3, at: 4, insert(1, values: ["x": "later"]))
    #expect(story.visible() == ["-311 'later'", "-1 'a'", "1 'b'"])
    story.write(4, at: 1, insert(1, values: ["x": "earlier"]))
    #expect(story.visible() == ["-311 'later'", "-111 'a'", "-1 'earlier'", "1 'b'"])
  }

  @Test func `children follow the row that their author saw`() {
    var story = Story(
      NumberingRuleTests.numbered,
      table("c", ReferenceColumn("t"), generated: true, foreign: [reference("t", to: "t")]))
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    let child = story.write(1, at: 2, insert(in: "c", 1, values: ["t": 1]))
    let changes = takeover(1, "b")
    story.write(
      2, at: 3, knowing: [child], changes[0], changes[1], insert(in: "c", 2, values: ["t": 1]))
    story.write(3, at: 4, knowing: [first], insert(in: "c", 3, values: ["t": 1]))
    #expect(story.visible("c") == ["1 -1", "2 1", "3 -1"])
  }
}
