import Testing
import TributaryCore
import TributaryTesting

struct PositiveNumberRuleTests {
  /// - Parameter bits: with 1, displaced rows have 2 and 3 to choose from; who is in their way lives 2
  ///   further on.
  private static func table(bits: Int) -> ReferenceTable {
    var table = NumberingRuleTests.numbered
    table.positiveBits = bits
    return table
  }

  /// The rows as number and value.
  private func rows(_ story: Story) -> [String: Int64] {
    Dictionary(
      uniqueKeysWithValues: story.visible().map { line in
        let parts = line.split(separator: " ")
        return (String(parts[1]), Int64(parts[0])!)
      })
  }

  @Test func `a displaced row takes a positive number below two to the thirtieth`() throws {
    var story = Story(Self.table(bits: 29))
    story.write(1, at: 1, insert(1, values: ["x": "a"]))
    for author in 2...9 as ClosedRange<UInt64> {
      story.write(author, at: author, insert(1, values: ["x": .integer(Int64(author))]))
    }
    let rows = rows(story)
    #expect(rows.count == 9)
    #expect(rows["'a'"] == 1)
    for number in rows.values where number != 1 { #expect(1 << 29..<1 << 30 ~= number) }
    #expect(story.conflicts == [])
  }

  @Test func `two displaced rows never take one number, the later one chooses again`() {
    var story = Story(Self.table(bits: 1))
    story.write(1, at: 1, insert(1, values: ["x": "a"]))
    story.write(2, at: 2, insert(1, values: ["x": "b"]))
    story.write(3, at: 3, insert(1, values: ["x": "c"]))
    let rows = rows(story)
    #expect(rows["'a'"] == 1)
    #expect(Set(rows.values).count == 3)
    #expect(story.conflicts == [])
  }

  @Test(arguments: [2, 3] as [Int64])
  func `a row that was inserted where a displaced one comes to live makes room`(
    number: Int64
  ) throws {
    var story = Story(Self.table(bits: 1))
    let resident = story.write(4, at: 1, insert(.integer(number), values: ["x": "there"]))
    story.write(1, at: 2, insert(1, values: ["x": "a"]))
    let second = story.write(2, at: 3, insert(1, values: ["x": "b"]))
    story.write(5, at: 4, knowing: [resident], update(.integer(number), values: ["x": "still"]))
    let rows = rows(story)
    let guest = try #require(rows["'b'"])
    #expect([2, 3].contains(guest))
    #expect(rows["'still'"] == (guest == number ? number + 2 : number))
    #expect(rows.count == 3)
    // Who has seen both rows with one number means the one that was displaced by it.
    story.write(
      6, at: 5, knowing: [resident, second, story.transactions[1]],
      update(.integer(guest), values: ["x": "moved"]))
    #expect(self.rows(story)["'moved'"] == guest)
    #expect(story.conflicts == [])
  }

  @Test func `rows that are inserted under the number of a displaced one that is gone are two`()
    throws
  {
    var story = Story(Self.table(bits: 1))
    let first = story.write(1, at: 1, insert(1, values: ["x": "a"]))
    let second = story.write(2, at: 2, insert(1, values: ["x": "b"]))
    let number = try #require(rows(story)["'b'"])
    let gone = story.write(3, at: 3, knowing: [first, second], delete(.integer(number)))
    for author in [4, 5] as [UInt64] {
      story.write(
        author, at: author, knowing: [gone],
        insert(.integer(number), values: ["x": .integer(Int64(author))]))
    }
    let rows = rows(story)
    #expect(rows["4"] == number)
    #expect(rows.count == 3)
    #expect(story.conflicts == [])
  }
}
