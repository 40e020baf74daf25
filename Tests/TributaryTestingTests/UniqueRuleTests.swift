import Testing
import TributaryCore
import TributaryTesting

struct UniqueRuleTests {
  static let unique = [ReferenceUniqueKey([ReferenceKeyColumn("u")])]
  static let plain = table("t", ReferenceColumn("u"), unique: unique)

  @Test func `rows that swap a key are no conflict`() {
    var story = Story(Self.plain)
    let start = story.write(
      1, at: 1, insert(1, values: ["u": "a"]), insert(2, values: ["u": "b"]))
    story.write(
      2, at: 2, knowing: [start], update(1, values: ["u": "b"]), update(2, values: ["u": "a"]))
    #expect(story.visible() == ["1 'b'", "2 'a'"])
    #expect(story.conflicts == [])
  }

  @Test func `the first claim stays, and the other row is held with all its values`() {
    var story = Story(table("t", ReferenceColumn("u"), ReferenceColumn("x"), unique: Self.unique))
    story.write(1, at: 1, insert(9, values: ["u": "a", "x": 1]))
    story.write(2, at: 2, insert(3, values: ["u": "a", "x": 2]))
    #expect(story.visible() == ["9 'a' 1"])
    #expect(story.held() == ["3 'a' 2"])
    #expect(story.conflicts == ["t 3 held, unique k=3 u='a' x=2; 1.1 over 2.1"])
  }

  @Test func `of three claimants the next comes when the first goes`() {
    var story = Story(Self.plain)
    let first = story.write(1, at: 1, insert(1, values: ["u": "a"]))
    story.write(2, at: 2, insert(2, values: ["u": "a"]))
    story.write(3, at: 3, insert(3, values: ["u": "a"]))
    #expect(story.visible() == ["1 'a'"])
    #expect(story.held() == ["2 'a'", "3 'a'"])
    story.write(1, at: 4, knowing: [first], update(1, values: ["u": "b"]))
    #expect(story.visible() == ["1 'b'", "2 'a'"])
    #expect(story.conflicts == ["t 3 held, unique k=3 u='a'; 2.1 over 3.1"])
  }

  @Test func `a claim begins anew when the key was another in between, or the row was dead`() {
    for gone in [update(1, values: ["u": "b"]), delete(1)] {
      var story = Story(Self.plain)
      story.write(1, at: 1, insert(1, values: ["u": "a"]))
      story.write(1, at: 3, gone)
      story.write(1, at: 4, insert(1, values: ["u": "a"]))
      story.write(2, at: 2, insert(2, values: ["u": "a"]))
      #expect(story.visible() == ["2 'a'"])
      #expect(story.conflicts == ["t 1 held, unique k=1 u='a'; 2.1 over 1.3"])
    }
  }

  @Test func `other writes and a replacement with the same key leave a claim as old as it is`() {
    var story = Story(table("t", ReferenceColumn("u"), ReferenceColumn("x"), unique: Self.unique))
    story.write(1, at: 1, insert(1, values: ["u": "a"]))
    story.write(2, at: 2, insert(2, values: ["u": "a"]))
    story.write(1, at: 3, update(1, values: ["x": 1]))
    story.write(1, at: 4, replace(1, values: ["u": "a", "x": 2]))
    #expect(story.visible() == ["1 'a' 2"])
    #expect(story.conflicts == ["t 2 held, unique k=2 u='a' x=NULL; 1.1 over 2.1"])
  }

  @Test func `equal claims are decided by the lesser key of the row`() {
    // Each half of both keys is written by another device.
    var story = Story(
      table(
        "t", ReferenceColumn("u"), ReferenceColumn("v"),
        unique: [ReferenceUniqueKey([ReferenceKeyColumn("u"), ReferenceKeyColumn("v")])]))
    let start = story.write(
      1, at: 1, insert(10, values: ["u": 1, "v": 1]), insert(9, values: ["u": 2, "v": 2]))
    story.write(
      1, at: 2, update(10, values: ["u": 3]), update(9, values: ["u": 3]))
    story.write(
      2, at: 3, knowing: [start], update(10, values: ["v": 3]), update(9, values: ["v": 3]))
    #expect(story.visible() == ["9 3 3"])
    #expect(story.conflicts == ["t 10 held, unique k=10 u=3 v=3; 2.1 over 2.1"])
  }

  @Test func `a held row claims nothing, so what it kept out comes in`() {
    var story = Story(
      table(
        "t", ReferenceColumn("u"), ReferenceColumn("v"),
        unique: [
          ReferenceUniqueKey([ReferenceKeyColumn("u")]),
          ReferenceUniqueKey([ReferenceKeyColumn("v")]),
        ]))
    let first = story.write(1, at: 1, insert(1, values: ["u": 1]))
    story.write(2, at: 2, insert(2, values: ["u": 1, "v": 2]))
    story.write(3, at: 3, insert(3, values: ["v": 2]))
    #expect(story.visible() == ["1 1 NULL", "3 NULL 2"])
    #expect(story.conflicts == ["t 2 held, unique k=2 u=1 v=2; 1.1 over 2.1"])
    story.write(1, at: 4, knowing: [first], delete(1))
    #expect(story.visible() == ["2 1 2"])
    #expect(story.conflicts == ["t 3 held, unique k=3 u=NULL v=2; 2.1 over 3.1"])
  }

  @Test func `NULL claims nothing`() {
    var story = Story(Self.plain)
    story.write(1, at: 1, insert(1))
    story.write(2, at: 2, insert(2))
    #expect(story.visible() == ["1 NULL", "2 NULL"])
  }

  @Test func `a collation says which keys are one`() {
    var story = Story(
      table(
        "t", ReferenceColumn("u"),
        unique: [ReferenceUniqueKey([ReferenceKeyColumn("u", collation: .nocase)])]))
    story.write(1, at: 1, insert(1, values: ["u": "a"]))
    story.write(2, at: 2, insert(2, values: ["u": "A"]))
    // Another spelling is no other key.
    story.write(1, at: 3, update(1, values: ["u": "A"]))
    #expect(story.visible() == ["1 'A'"])
    #expect(story.conflicts == ["t 2 held, unique k=2 u='A'; 1.1 over 2.1"])
  }

  @Test func `a partial index sees only the rows of its condition`() {
    var story = Story(
      table(
        "t", ReferenceColumn("u"), ReferenceColumn("live"),
        unique: [
          ReferenceUniqueKey([ReferenceKeyColumn("u")], lookingAt: ["live"]) { $0["live"] == 1 }
        ]))
    story.write(1, at: 1, insert(1, values: ["u": 1, "live": 0]))
    story.write(2, at: 2, insert(2, values: ["u": 1, "live": 1]))
    #expect(story.visible() == ["1 1 0", "2 1 1"])
    story.write(1, at: 3, update(1, values: ["live": 1]))
    #expect(story.conflicts == ["t 1 held, unique k=1 live=1 u=1; 2.1 over 1.2"])
  }

  @Test func `an index on an expression claims what the expression gives`() {
    var story = Story(
      table(
        "t", ReferenceColumn("u"),
        unique: [
          ReferenceUniqueKey(of: ["u"]) { row in
            if case .integer(let number) = row["u"]! { [.integer(abs(number))] } else { nil }
          }
        ]))
    story.write(1, at: 1, insert(1, values: ["u": 5]))
    story.write(2, at: 2, insert(2, values: ["u": -5]), insert(3, values: ["u": "x"]))
    #expect(story.visible() == ["1 5", "3 'x'"])
    #expect(story.held() == ["2 -5"])
  }
}
