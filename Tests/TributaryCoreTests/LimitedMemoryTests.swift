import Testing
import TributaryCore

/// What is remembered up to a number of entries.
struct LimitedMemoryTests {
  @Test func `everything is remembered up to the limit, and half of it beyond`() {
    var memory = LimitedMemory<Int, String>(limit: 100)
    for key in 0..<100 { memory.note("\(key)", for: key) }
    #expect((0..<100).allSatisfy { memory[$0] == "\($0)" })
    memory.note("other", for: 7)
    #expect(memory.count == 100, "a key that is there takes no room")
    #expect(memory[7] == "other")
    memory.note("100", for: 100)
    #expect(memory.count == 51)
    #expect(memory[100] == "100")
    #expect((0..<100).count { memory[$0] == ($0 == 7 ? "other" : "\($0)") } == 50)
  }

  @Test func `who goes through more than the limit again and again finds a part each time`() {
    var memory = LimitedMemory<Int, Int>(limit: 1000)
    for round in 0..<5 {
      var found = 0
      for key in 0..<1500 {
        if memory[key] != nil { found += 1 } else { memory.note(key, for: key) }
      }
      #expect((found > 0) == (round > 0))
    }
  }
}
