import Foundation
import Testing
import TributaryCoordination
import TributaryTesting

/// What queries find, and what they report.
struct MetadataQueryTests {
  /// Whether the system reports changes, or the query looks.
  static let manners = [true, false]

  private static func query(
    _ ground: Ground, _ predicate: MetadataPredicate = .all, scopes: [MetadataScope]? = nil,
    isWatching: Bool = true
  ) throws -> MetadataQuery {
    try MetadataQuery(
      predicate: predicate, scopes: scopes ?? [.directory(ground.url())],
      containers: [ground.url()],
      polling: .milliseconds(5), isWatching: isWatching)
  }

  private static func names(_ query: MetadataQuery, _ ground: Ground) -> [String] {
    query.results.map { String($0.path.dropFirst(ground.root.count + 1)) }
  }

  /// Waits until the names of the results are these.
  private static func settle(
    _ query: MetadataQuery, _ ground: Ground, _ expected: [String]
  ) async throws {
    try await until { names(query, ground) == expected }
  }

  @Test func `it gathers what matches, and says so`() async throws {
    try await Ground.with(0) { ground in
      for name in ["a.txt", "b.TXT", "c.md", "d/e.txt", ".hidden.txt", "d/.tmp-1.txt"] {
        try ground.make(name)
      }
      let query = try Self.query(ground, .name("*.txt", isCaseInsensitive: true))
      var events = query.events.makeAsyncIterator()
      try query.start()
      guard case .didFinishGathering = await events.next() else {
        Issue.record("the first event")
        return
      }
      #expect(Self.names(query, ground) == ["a.txt", "b.TXT", "d/e.txt"])
      #expect(query.isStarted && !query.isGathering)
      query.stop()
      #expect(await events.next() == nil)
      #expect(query.resultCount == 3)
    }
  }

  @Test(arguments: manners)
  func `it follows what is made, written, moved and removed`(isWatching: Bool) async throws {
    try await Ground.with(0) { ground in
      try ground.make("d/old")
      let query = try Self.query(ground, .kind(.file), isWatching: isWatching)
      try query.start()
      try await Self.settle(query, ground, ["d/old"])
      try ground.make("e/f/new")
      try await Self.settle(query, ground, ["d/old", "e/f/new"])
      try Data("12345".utf8).write(to: ground.url("e/f/new"))
      try await until { query.results.last?.size == 5 }
      try FileManager.default.moveItem(at: ground.url("e"), to: ground.url("c"))
      try await Self.settle(query, ground, ["c/f/new", "d/old"])
      // The moved directory is still followed, under its new name.
      try ground.make("c/f/newer")
      try await Self.settle(query, ground, ["c/f/new", "c/f/newer", "d/old"])
      try FileManager.default.removeItem(at: ground.url("c"))
      try await Self.settle(query, ground, ["d/old"])
      // A directory in the place of a file, and the other way round.
      try FileManager.default.removeItem(at: ground.url("d/old"))
      try ground.make("d/old/inner")
      try await Self.settle(query, ground, ["d/old/inner"])
      try FileManager.default.removeItem(at: ground.url("d"))
      try ground.make("d")
      try await Self.settle(query, ground, ["d"])
    }
  }

  @Test func `it reports what was added, changed and removed`() async throws {
    try await Ground.with(0) { ground in
      try ground.make("a")
      let query = try Self.query(ground)
      try query.start()
      var events = query.events.makeAsyncIterator()
      _ = await events.next()
      try Data("x".utf8).write(to: ground.url("a"), options: .atomic)
      let changed = try #require(await Self.update(&events))
      #expect(changed.changed.map(\.name) == ["a"] && changed.changed[0].size == 1)
      try ground.make("b")
      #expect(try #require(await Self.update(&events)).added.map(\.name) == ["b"])
      try FileManager.default.removeItem(at: ground.url("a"))
      let removed = try #require(await Self.update(&events))
      #expect(removed.removed.map(\.name) == ["a"] && removed.removed[0].size == 1)
      #expect(removed.added.isEmpty && removed.changed.isEmpty)
    }
  }

  private static func update(
    _ events: inout MetadataQueryEvents.AsyncIterator
  ) async -> MetadataUpdate? {
    while let event = await events.next() {
      if case .didUpdate(let update) = event { return update }
    }
    return nil
  }

  @Test(arguments: manners)
  func `a managed document is one item, with the size of all that it contains`(
    isWatching: Bool
  ) async throws {
    try await Ground.with(0) { ground in
      try ground.make("p/inner/part")
      let query = try Self.query(ground, isWatching: isWatching)
      try query.start()
      try await Self.settle(query, ground, ["p", "p/inner", "p/inner/part"])
      try Data("1234".utf8).write(to: ground.url("p/DocumentMetadata.plist"))
      try await Self.settle(query, ground, ["p"])
      #expect(query.results[0].kind == .package)
      try Data("123456".utf8).write(to: ground.url("p/inner/part"))
      try await until { query.results.first?.size == 10 }
      try ground.make("p/more/deep")
      try Data("1".utf8).write(to: ground.url("p/more/deep"))
      try await until { query.results.first?.size == 11 }
      try FileManager.default.removeItem(at: ground.url("p/DocumentMetadata.plist"))
      try await Self.settle(
        query, ground, ["p", "p/inner", "p/inner/part", "p/more", "p/more/deep"])
    }
  }

  @Test func `scopes say where to search, and nothing is found twice`() async throws {
    try await Ground.with(0) { ground in
      for name in ["Documents/a", "Documents/d/b", "data/c"] { try ground.make(name) }
      for (scopes, expected): ([MetadataScope], [String]) in [
        ([.documents], ["Documents/a", "Documents/d/b"]),
        ([.data], ["data/c"]),
        ([.documents, .data], ["Documents/a", "Documents/d/b", "data/c"]),
        ([.data, .directory(ground.url("Documents/d"))], ["Documents/d/b", "data/c"]),
        ([.directory(ground.url()), .documents], ["Documents/a", "Documents/d/b", "data/c"]),
      ] {
        let query = try Self.query(ground, .kind(.file), scopes: scopes)
        try query.start()
        try await Self.settle(query, ground, expected)
        query.stop()
      }
    }
  }

  @Test func `a directory that does not exist yet is found when it is made, and lost when removed`()
    async throws
  {
    try await Ground.with(0) { ground in
      let query = try Self.query(ground, .kind(.file), scopes: [.documents])
      try query.start()
      for _ in 0..<2 {
        try ground.make("Documents/a")
        try await Self.settle(query, ground, ["Documents/a"])
        try FileManager.default.removeItem(at: ground.url("Documents"))
        try await Self.settle(query, ground, [])
      }
    }
  }

  @Test func `while updates are disabled the results stay, and then all is reported at once`()
    async throws
  {
    try await Ground.with(0) { ground in
      try ground.make("a")
      let query = try Self.query(ground)
      let witness = try Self.query(ground)
      for query in [query, witness] { try query.start() }
      for query in [query, witness] { try await Self.settle(query, ground, ["a"]) }
      query.disableUpdates()
      query.disableUpdates()
      var events = query.events.makeAsyncIterator()
      _ = await events.next()
      try ground.make("b")
      try FileManager.default.removeItem(at: ground.url("a"))
      try ground.make("c")
      try await Self.settle(witness, ground, ["b", "c"])
      query.enableUpdates()
      #expect(Self.names(query, ground) == ["a"])
      query.enableUpdates()
      // What the thread of this query has not seen yet comes later.
      try await Self.settle(query, ground, ["b", "c"])
      #expect(await Self.update(&events)?.isEmpty == false)
    }
  }

  @Test func `sizes, times and kinds can be asked for`() async throws {
    try await Ground.with(0) { ground in
      for name in ["a", "d/b"] { try ground.make(name) }
      try Data("12345".utf8).write(to: ground.url("a"))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: ground.url("a").path)
      for (predicate, expected): (MetadataPredicate, [String]) in [
        (.size(from: 5), ["a"]), (.and([.size(through: 4), .kind(.file)]), ["d/b"]),
        (.modified(through: Date(timeIntervalSince1970: 1000)), ["a"]),
        (
          .not(.or([.kind(.directory), .modified(from: Date(timeIntervalSince1970: 1001))])), ["a"]
        ),
        (.kind(.directory), ["d"]),
      ] {
        let query = try Self.query(ground, predicate)
        try query.start()
        try await Self.settle(query, ground, expected)
      }
    }
  }

  @Test func `links are not followed`() async throws {
    try await Ground.with(0) { ground in
      try ground.make("d/a")
      try FileManager.default.createSymbolicLink(
        at: ground.url("d/loop"), withDestinationURL: ground.url())
      let query = try Self.query(ground, .kind(.file))
      try query.start()
      try await Self.settle(query, ground, ["d/a"])
    }
  }

  @Test func `a query without a directory, and one that is started already, are refused`() throws {
    let nowhere = #expect(throws: CoordinationError.self) {
      _ = try MetadataQuery(scopes: [.documents, .data], containers: [])
    }
    #expect(nowhere?.code == .invalidQuery)
    let query = try MetadataQuery(
      scopes: [.directory(URL(filePath: "/nowhere"))], containers: [])
    try query.start()
    let twice = #expect(throws: CoordinationError.self) { try query.start() }
    #expect(twice?.code == .invalidQuery)
    query.stop()
    try query.start()
  }

  @Test(arguments: manners)
  func `documents are found by what they say of themselves`(isWatching: Bool) async throws {
    try await Ground.with(0) { ground in
      func write(_ name: String, _ attributes: [String: String]?) throws {
        try FileManager.default.createDirectory(
          at: ground.url(name), withIntermediateDirectories: true)
        var plist: [String: Any] = [
          "ContentName": name + "-1", "ContentURL": "tributary", "FormatVersion": 1,
        ]
        plist["Attributes"] = attributes
        try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0)
          .write(to: ground.url(name + "/DocumentMetadata.plist"))
      }
      try write("red", ["color": "red", "size": "12"])
      try write("blue", ["color": "blue"])
      try write("plain", nil)
      try ground.make("broken/DocumentMetadata.plist")
      try ground.make("file")
      let found = try Self.query(
        ground,
        .or([.attribute("color", "RE*", isCaseInsensitive: true), .contentName("plain-1")]),
        isWatching: isWatching)
      try found.start()
      try await Self.settle(found, ground, ["plain", "red"])
      #expect(found.results.map(\.contentName) == ["plain-1", "red-1"])
      #expect(found.results.map(\.attributes) == [[:], ["color": "red", "size": "12"]])
      try write("late", ["color": "rex"])
      try await Self.settle(found, ground, ["late", "plain", "red"])
      let others = try Self.query(ground, .not(.attribute("color")), isWatching: isWatching)
      try others.start()
      try await Self.settle(others, ground, ["broken", "file", "plain"])
      #expect(others.results.map(\.contentName) == [nil, nil, "plain-1"])
    }
  }
}
