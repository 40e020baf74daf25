import Testing
import Tributary

struct BacklogTests {
  private struct Note: Accumulating {
    var numbers: [Int]
    var byteCount: Int { 1 << 20 }

    mutating func append(_ later: Note) { numbers += later.numbers }
  }

  @Test
  func `what waits is taken in order, and beyond the limit the last takes up the rest`() {
    var backlog = Backlog<Note>()
    for number in 0..<10 { backlog.append(Note(numbers: [number])) }
    #expect(backlog.next()?.numbers == [0])
    #expect(backlog.next()?.numbers == [1])
    #expect(backlog.next()?.numbers == [2])
    #expect(backlog.next()?.numbers == [3, 4, 5, 6, 7, 8, 9])
    #expect(backlog.next() == nil)
    #expect(backlog.isEmpty)
    backlog.append(Note(numbers: [10]))
    #expect(backlog.next()?.numbers == [10])
  }

  @Test
  func `a listener gets all that was sent before it looked, and ends`() async {
    let broadcast = Broadcast<Note>()
    let (first, second) = (broadcast.listen(), broadcast.listen())
    for number in 0..<6 { broadcast.send(Note(numbers: [number])) }
    broadcast.end()
    for listening in [first, second] {
      var numbers: [Int] = []
      for await note in listening { numbers += note.numbers }
      #expect(numbers == Array(0..<6))
    }
    for await note in broadcast.listen() { Issue.record("\(note) after the end") }
  }
}
