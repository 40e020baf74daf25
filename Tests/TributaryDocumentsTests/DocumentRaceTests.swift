import Foundation
import Synchronization
import Testing
import TributaryDocuments
import TributaryTesting

/// Several that want one path at once.
struct DocumentRaceTests {
  /// Runs `body` on threads of its own, all at once, and returns what each returned or threw.
  private func race<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    let results = Mutex<[Int: Result<Value, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { number in
      let result = Result { try body(number) }
      results.withLock { $0[number] = result }
    }
    return results.withLock { results in (0..<count).map { results[$0]! } }
  }

  private func expectRefusals(_ results: [Result<some Sendable, any Error>]) throws {
    for case .failure(let error) in results {
      #expect((error as? DocumentError)?.code == .exists, "\(error)")
    }
  }

  @Test func `of several that make a document at one path, one does`() throws {
    try withDocuments { fixture in
      let device = try fixture.device("a")
      for round in 0..<10 {
        let path = fixture.path("\(round).note")
        let results = race(4) { number in
          let document = try device.create(at: path, options: fixture.options())
          try document.write("1", "\(number)")
          return document.metadata.contentName
        }
        try expectRefusals(results)
        let made = results.compactMap { try? $0.get() }
        #expect(made.count == 1)
        #expect(try device.open(path).metadata.contentName == made.first)
        #expect(try device.open(path).notes().count == 1)
      }
      #expect(try device.list().map(\.state) == Array(repeating: .normal, count: 10))
      let stores = try FileManager.default.contentsOfDirectory(
        atPath: fixture.directory + "/a/documents")
      #expect(stores.count == 10)
    }
  }

  @Test func `of several documents that are moved to one path, one is, and none is lost`() throws {
    try withDocuments { fixture in
      let device = try fixture.device("a")
      for round in 0..<10 {
        // A local document, one of the container, and a new one.
        let places = [
          fixture.directory + "/local\(round).note", fixture.path("shared\(round).note"),
        ]
        for place in places {
          try device.create(at: place, options: fixture.options()).write("1", place)
        }
        let target = fixture.path("target\(round).note")
        let results = race(3) { number in
          if number < 2 { return try device.move(places[number], to: target) }
          return try device.create(at: target, options: fixture.options()).package
        }
        try expectRefusals(results)
        #expect(results.count { (try? $0.get()) != nil } == 1)
        for (number, place) in places.enumerated() {
          let isMoved = (try? results[number].get()) != nil
          #expect(try device.open(isMoved ? target : place).notes() == ["1=\(place)"])
          #expect(fixture.exists(place) == !isMoved)
        }
      }
      #expect(try device.list().allSatisfy { $0.state == .normal })
    }
  }
}
