import Foundation
import Synchronization
import Testing
import TributaryCoordination
import TributaryFiles
import TributaryTesting

/// What an index makes of the reports of the system.
struct MetadataIndexTests {
  private static func index(
    _ ground: Ground, _ predicate: MetadataPredicate = .kind(.file)
  ) throws -> (MetadataIndex, Watcher) {
    let watcher = try Watcher()
    let roots = try SearchRoot.roots([.directory(ground.url())], containers: [])
    let index = MetadataIndex(predicate, roots, watcher: watcher)
    index.reconcile()
    return (index, watcher)
  }

  @Test func `lost reports cost a look at everything, and no change`() async throws {
    try await Ground.with(0) { ground in
      for name in ["a", "d/b", "d/c"] { try ground.make(name) }
      let (index, watcher) = try Self.index(ground)
      #expect(index.takeUpdate().added.map(\.name) == ["a", "b", "c"])
      try FileManager.default.removeItem(at: ground.url("d/b"))
      try Data("x".utf8).write(to: ground.url("d/c"))
      try ground.make("e/f")
      var lost = WatchEvents()
      lost.overflowed = true
      index.handle(lost)
      let update = index.takeUpdate()
      #expect(update.removed.map(\.name) == ["b"])
      #expect(update.changed.map(\.name) == ["c"])
      #expect(update.added.map(\.name) == ["f"])
      // The directory that nothing was reported of is watched all the same.
      _ = try watcher.wait(timeoutMilliseconds: 0)
      try ground.make("e/g")
      index.handle(try watcher.wait(timeoutMilliseconds: nil))
      #expect(index.takeUpdate().added.map(\.name) == ["g"])
    }
  }

  @Test func `two spellings of one name are two files, in each step`() async throws {
    try await Ground.with(0) { ground in
      // Composed and decomposed.
      let names = ["caf\u{e9}", "cafe\u{301}"]
      func bytes(_ items: [MetadataItem]) -> [[UInt8]] { items.map { Array($0.name.utf8) } }
      let both = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
      for name in names {
        let path = Array((ground.root + "/").utf8) + Array(name.utf8)
        mkdir((path + [0]).map { CChar(bitPattern: $0) }, 0o700)
        close(
          open((path + Array("/f".utf8) + [0]).map { CChar(bitPattern: $0) }, O_CREAT, 0o600))
      }
      let watcher = try Watcher()
      let roots = try SearchRoot.roots([.directory(ground.url())], containers: [])
      let index = MetadataIndex(.all, roots, watcher: watcher)
      index.reconcile()
      let found = index.takeUpdate().added
      #expect(found.count == 4)
      #expect(Set(found).count == 4)
      #expect(bytes(found.filter { $0.kind == .directory }) == both)
      // Each is followed by itself.
      let second = Array((ground.root + "/" + names[1]).utf8)
      unlink((second + Array("/f".utf8) + [0]).map { CChar(bitPattern: $0) })
      rmdir((second + [0]).map { CChar(bitPattern: $0) })
      index.handle(try watcher.wait(timeoutMilliseconds: nil))
      let removed = index.takeUpdate().removed
      #expect(removed.map(\.kind) == [.directory, .file])
      #expect(bytes(removed.filter { $0.kind == .directory }) == [Array(names[1].utf8)])
      // What is left is left.
      index.reconcile()
      #expect(index.takeUpdate().isEmpty)
    }
  }

  @Test func `another directory in the place of a root, which nothing reports, is noticed`()
    async throws
  {
    try await Ground.with(0) { ground in
      for name in ["a", "d/b"] { try ground.make(name) }
      let (index, watcher) = try Self.index(ground)
      _ = index.takeUpdate()
      try FileManager.default.moveItem(atPath: ground.root, toPath: ground.root + "-old")
      try ground.make("d/c")
      index.checkRoots()
      let update = index.takeUpdate()
      #expect(update.removed.map(\.name) == ["a", "b"])
      #expect(update.added.map(\.name) == ["c"])
      // The reports of the former directory are about nothing now.
      try ground.make("d/e")
      index.handle(try watcher.wait(timeoutMilliseconds: nil))
      #expect(index.takeUpdate().added.map(\.name) == ["e"])
    }
  }

  @Test func `a directory that becomes a link is no item, and is one again when it is back`()
    async throws
  {
    try await Ground.with(0) { ground in
      for name in ["a", "d/b", "d/inner/c", "elsewhere/b"] { try ground.make(name) }
      let (index, watcher) = try Self.index(ground)
      _ = index.takeUpdate()
      for isReported in [true, false] {
        func look() throws {
          if isReported {
            index.handle(try watcher.wait(timeoutMilliseconds: nil))
          } else {
            index.reconcile()
          }
        }
        // Moved out of sight first, so that its files are not found there.
        try FileManager.default.moveItem(at: ground.url("d"), to: ground.url(".hidden"))
        try FileManager.default.createSymbolicLink(
          at: ground.url("d"), withDestinationURL: ground.url("elsewhere"))
        try look()
        let gone = index.takeUpdate()
        #expect(gone.removed.map(\.name) == ["b", "c"])
        #expect(gone.added.isEmpty && gone.changed.isEmpty)
        try FileManager.default.removeItem(at: ground.url("d"))
        try FileManager.default.moveItem(at: ground.url(".hidden"), to: ground.url("d"))
        try look()
        let back = index.takeUpdate()
        #expect(back.added.map(\.name) == ["b", "c"])
        #expect(back.removed.isEmpty && back.changed.isEmpty)
      }
    }
  }

  @Test func `a change costs the same among 20,000 files as alone`() async throws {
    try await Ground.with(0) { ground in
      for directory in 0..<20 {
        try ground.make("\(directory)/0")
        for file in 1..<1000 {
          #expect(mknod("\(ground.root)/\(directory)/\(file)", S_IFREG | 0o600, 0) == 0)
        }
      }
      let (index, watcher) = try Self.index(ground)
      #expect(index.takeUpdate().added.count == 20_000)
      let everything = processorTime { index.reconcile() }
      #expect(index.takeUpdate().isEmpty)
      var changes = 0
      var hundred = Duration.zero
      for number in 0..<100 {
        try ground.make("7/new-\(number)")
        let events = try watcher.wait(timeoutMilliseconds: nil)
        hundred += processorTime { index.handle(events) }
        changes += index.takeUpdate().added.count
      }
      #expect(changes == 100)
      // Twenty thousand looks at files cost more than a hundred.
      #expect(hundred < everything)
    }
  }

  @Test func `random changes leave what a fresh look finds`() throws {
    try withSeeds(0..<10) { random in
      try withTemporaryDirectory { directory in
        let ground = try Ground(directory, 0)
        let (index, watcher) = try Self.index(ground)
        var results = ExactDictionary<MetadataItem>()
        index.takeUpdate().apply(to: &results)
        for _ in 0..<60 {
          try change(ground, &random)
          if random.once(in: 3) { continue }
          while true {
            let events = try watcher.wait(timeoutMilliseconds: 0)
            if events == WatchEvents() { break }
            index.handle(events)
          }
          index.takeUpdate().apply(to: &results)
          let (fresh, _) = try Self.index(ground)
          var expected = ExactDictionary<MetadataItem>()
          fresh.takeUpdate().apply(to: &expected)
          try #require(results == expected)
        }
      }
    }
  }

  @Test func `changes while an index looks leave what a fresh look finds`() throws {
    try withSeeds(0..<10) { random in
      try withTemporaryDirectory { directory in
        let ground = try Ground(directory, 0)
        let (index, watcher) = try Self.index(ground, .all)
        var results = MetadataUpdate()
        func follow() throws {
          let events = try watcher.wait(timeoutMilliseconds: 1)
          index.handle(events)
          results.append(index.takeUpdate())
        }
        let seed = random.next()
        let isDone = Atomic(false)
        let changes = try WorkerThread(name: "changes") {
          var changing = SeededGenerator(seed: seed)
          for number in 0..<300 {
            do {
              // Most packages come in two steps.
              let package = ground.url("p\(number)")
              try FileManager.default.createDirectory(
                at: package, withIntermediateDirectories: false)
              for _ in 0..<changing.number(0...60) { sched_yield() }
              try Data("x".utf8).write(to: package.appending(component: "DocumentMetadata.plist"))
              if number % 10 == 0 { try change(ground, &changing) }
            } catch {
              Issue.record(error)
            }
          }
          isDone.store(true, ordering: .releasing)
        }
        while !isDone.load(ordering: .acquiring) { try follow() }
        changes.join()
        while watcher.hasEvents { try follow() }
        let (fresh, _) = try Self.index(ground, .all)
        let differences = Set(results.added).symmetricDifference(fresh.takeUpdate().added)
        try #require(differences == [])
      }
    }
  }

  private func change(_ ground: Ground, _ random: inout SeededGenerator) throws {
    let names = [
      "a", "b", "a/a", "a/b", "a/b/c", "b/a", "DocumentMetadata.plist", "a/DocumentMetadata.plist",
    ]
    let name = names[random.number(0...names.count - 1)]
    let other = names[random.number(0...names.count - 1)]
    // What cannot be done is not done.
    switch random.number(0...3) {
    case 0: try? FileManager.default.removeItem(at: ground.url(name))
    case 1: try? FileManager.default.moveItem(at: ground.url(name), to: ground.url(other))
    case 2:
      try? Data(repeating: 1, count: random.number(0...9)).write(to: ground.url(name))
    default: try? ground.make(name)
    }
  }
}
