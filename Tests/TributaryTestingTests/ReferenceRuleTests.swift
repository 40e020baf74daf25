import Testing
import TributaryCore
import TributaryTesting

struct ReferenceRuleTests {
  typealias Action = ReferenceForeignKey.Action

  static func family(_ action: Action, default value: Value = .null, notNull: Bool = false) -> Story
  {
    Story(
      table("p"),
      table(
        "t", ReferenceColumn("p", default: value, notNull: notNull),
        foreign: [reference("p", to: "p", onDelete: action)]))
  }

  @Test(arguments: [Action.noAction, .restrict, .cascade])
  func `a child whose parent was deleted is held, and comes back with it`(action: Action) {
    var story = Self.family(action)
    let parent = story.write(1, at: 1, insert(in: "p", 1))
    let deletion = story.write(1, at: 3, delete(in: "p", 1))
    story.write(2, at: 2, knowing: [parent], insert(7, values: ["p": 1]))
    #expect(story.visible() == [])
    #expect(story.held() == ["7 1"])
    #expect(story.conflicts == ["t 7 held, foreign key k=7 p=1; 1.2 over 2.1"])
    story.write(3, at: 4, knowing: [deletion], insert(in: "p", 1))
    #expect(story.visible() == ["7 1"])
    #expect(story.conflicts == [])
  }

  @Test func `SET NULL shows NULL until the parent is there`() {
    var story = Self.family(.setNull, default: 5)
    let parent = story.write(1, at: 1, insert(in: "p", 1))
    let deletion = story.write(1, at: 3, delete(in: "p", 1))
    story.write(2, at: 2, knowing: [parent], insert(7, values: ["p": 1]))
    #expect(story.visible() == ["7 NULL"])
    #expect(story.held() == [])
    #expect(story.conflicts == ["t 7 foreign key p=1; 1.2 over 2.1"])
    story.write(3, at: 4, knowing: [deletion], insert(in: "p", 1))
    #expect(story.visible() == ["7 1"])
    #expect(story.conflicts == [])
  }

  @Test func `SET DEFAULT shows the default as long as that has a visible parent`() {
    var story = Self.family(.setDefault, default: 2)
    let parents = story.write(1, at: 1, insert(in: "p", 1), insert(in: "p", 2))
    story.write(1, at: 3, delete(in: "p", 1))
    story.write(2, at: 2, knowing: [parents], insert(7, values: ["p": 1]))
    #expect(story.visible() == ["7 2"])
    #expect(story.conflicts == ["t 7 foreign key p=1; 1.2 over 2.1"])
    story.write(1, at: 4, delete(in: "p", 2))
    #expect(story.visible() == [])
    #expect(story.conflicts == ["t 7 held, foreign key k=7 p=1; 1.2 over 2.1"])
  }

  @Test func `SET NULL binds where NULL cannot stand`() {
    let key = reference("p", to: "p", onDelete: .setNull)
    let tables = [
      table("t", ReferenceColumn("p", notNull: true), foreign: [key]),
      table(
        "t", ReferenceColumn("p"), unique: [ReferenceUniqueKey([ReferenceKeyColumn("p")])],
        foreign: [key]),
      table(
        "t", ReferenceColumn("p"),
        unique: [ReferenceUniqueKey([ReferenceKeyColumn("k")], lookingAt: ["p"])], foreign: [key]),
      table("t", ReferenceColumn("p"), foreign: [key, reference("p", to: "p")]),
      ReferenceTable(
        name: "t", columns: [ReferenceColumn("k"), ReferenceColumn("p")],
        keyColumns: [ReferenceKeyColumn("k"), ReferenceKeyColumn("p")], foreignKeys: [key]),
    ]
    for child in tables {
      var story = Story(table("p"), child)
      let parent = story.write(1, at: 1, insert(in: "p", 1))
      story.write(1, at: 3, delete(in: "p", 1))
      story.write(
        2, at: 2, knowing: [parent],
        child.keyColumns.count == 1 ? insert(7, values: ["p": 1]) : insert(in: "t", 7, 1))
      #expect(story.held() == ["7 1"], "\(child)")
    }
  }

  @Test func `a chain of children is held from its first missing parent on`() {
    var story = Story(
      table("a", ReferenceColumn("u"), unique: UniqueRuleTests.unique),
      table("b", ReferenceColumn("p"), foreign: [reference("p", to: "a", onDelete: .cascade)]),
      table("c", ReferenceColumn("p"), foreign: [reference("p", to: "b")]))
    let first = story.write(1, at: 1, insert(in: "a", 1, values: ["u": 1]))
    story.write(
      2, at: 2, insert(in: "a", 2, values: ["u": 1]), insert(in: "b", 1, values: ["p": 2]),
      insert(in: "c", 1, values: ["p": 1]))
    #expect(story.held("a") + story.held("b") + story.held("c") == ["2 1", "1 2", "1 1"])
    #expect(
      story.conflicts == [
        "a 2 held, unique k=2 u=1; 1.1 over 2.1",
        "b 1 held, foreign key k=1 p=2; 1.1 over 2.1",
        "c 1 held, foreign key k=1 p=1; 1.1 over 2.1",
      ])
    story.write(1, at: 3, knowing: [first], update(in: "a", 1, values: ["u": 3]))
    #expect(story.conflicts == [])
    #expect(story.visible("c") == ["1 1"])
  }

  @Test func `a row that waits for its parent keeps nobody out`() {
    var story = Story(
      table("p"),
      table(
        "t", ReferenceColumn("u"), ReferenceColumn("p"), unique: UniqueRuleTests.unique,
        foreign: [reference("p", to: "p")]))
    let parent = story.write(1, at: 1, insert(in: "p", 1))
    story.write(2, at: 2, knowing: [parent], insert(1, values: ["u": 1, "p": 1]))
    story.write(3, at: 3, insert(2, values: ["u": 1]))
    #expect(story.visible() == ["1 1 1"])
    story.write(1, at: 4, delete(in: "p", 1))
    #expect(story.visible() == ["2 1 NULL"])
    #expect(story.conflicts == ["t 1 held, foreign key k=1 p=1 u=1; 1.2 over 2.1"])
  }

  @Test func `of two references without a parent the first in the order of SQLite is told`() {
    var story = Story(
      table("p"), table("q"),
      table(
        "t", ReferenceColumn("p"), ReferenceColumn("q"),
        foreign: [reference("q", to: "q"), reference("p", to: "p")]))
    let parents = story.write(1, at: 1, insert(in: "p", 1), insert(in: "q", 1))
    story.write(1, at: 3, delete(in: "p", 1))
    story.write(1, at: 4, delete(in: "q", 1))
    let child = story.write(2, at: 2, knowing: [parents], insert(1, values: ["p": 1]))
    story.write(2, at: 5, knowing: [child], update(1, values: ["q": 1]))
    #expect(story.conflicts == ["t 1 held, foreign key k=1 p=1 q=1; 1.3 over 2.2"])
  }

  @Test func `composite references refer only when no column is NULL`() {
    var story = Story(
      ReferenceTable(
        name: "p", columns: [ReferenceColumn("k"), ReferenceColumn("l")],
        keyColumns: [ReferenceKeyColumn("l"), ReferenceKeyColumn("k")]),
      table(
        "t", ReferenceColumn("a"), ReferenceColumn("b"),
        foreign: [
          ReferenceForeignKey(
            ["a", "b"], to: "p", [ReferenceKeyColumn("k"), ReferenceKeyColumn("l")])
        ]))
    let parent = story.write(1, at: 1, insert(in: "p", 2, 1))
    story.write(1, at: 3, delete(in: "p", 2, 1))
    story.write(
      2, at: 2, knowing: [parent], insert(1, values: ["a": 1, "b": 2]),
      insert(2, values: ["a": 1]))
    #expect(story.visible() == ["2 1 NULL"])
    #expect(story.conflicts == ["t 1 held, foreign key a=1 b=2 k=1; 1.2 over 2.1"])
  }

  @Test func `a row that refers to itself is its own parent`() {
    var story = Story(table("t", ReferenceColumn("p"), foreign: [reference("p", to: "t")]))
    story.write(1, at: 1, insert(1, values: ["p": 1]), insert(2, values: ["p": 1]))
    #expect(story.visible() == ["1 1", "2 1"])
  }

  @Test func `rows that refer to each other are visible together`() {
    var story = Story(
      table("a", ReferenceColumn("p"), foreign: [reference("p", to: "b")]),
      table("b", ReferenceColumn("p"), foreign: [reference("p", to: "a")]))
    story.write(
      1, at: 1, insert(in: "a", 1, values: ["p": 1]), insert(in: "b", 1, values: ["p": 1]))
    #expect(story.visible("a") + story.visible("b") == ["1 1", "1 1"])
    story.write(2, at: 2, delete(in: "b", 1))
    #expect(story.held("a") == ["1 1"])
  }

  /// Each of two rows comes first for one key and second for the other's, and needs a partner.
  static func circle() -> Story {
    Story(
      table(
        "t", ReferenceColumn("u"), ReferenceColumn("p"), unique: UniqueRuleTests.unique,
        foreign: [reference("p", to: "t")]))
  }

  @Test func `in a circle the earliest claim is visible with all that it refers to`() {
    var story = Self.circle()
    // 1 and 2 refer to each other, and so do 3 and 4; 3 claims before 2, but 1 before 4.
    story.write(
      1, at: 1, insert(1, values: ["u": "a", "p": 2]), insert(3, values: ["u": "b", "p": 4]))
    story.write(
      2, at: 2, insert(2, values: ["u": "b", "p": 1]), insert(4, values: ["u": "a", "p": 3]))
    #expect(story.visible() == ["1 'a' 2", "2 'b' 1"])
    #expect(
      story.conflicts == [
        "t 3 held, foreign key k=3 p=4 u='b'; 1.1 over 1.1",
        "t 4 held, foreign key k=4 p=3 u='a'; 2.1 over 2.1",
      ])
  }

  @Test func `a row that needs another with its own key is held`() {
    var story = Self.circle()
    story.write(1, at: 1, insert(1, values: ["u": "a", "p": 2]))
    story.write(2, at: 2, insert(2, values: ["u": "a", "p": 1]))
    #expect(story.visible() == [])
    #expect(story.held() == ["1 'a' 2", "2 'a' 1"])
    #expect(
      story.conflicts == [
        "t 1 held, foreign key k=1 p=2 u='a'; 1.1 over 1.1",
        "t 2 held, foreign key k=2 p=1 u='a'; 2.1 over 2.1",
      ])
  }
}
