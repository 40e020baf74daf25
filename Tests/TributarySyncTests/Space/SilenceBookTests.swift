import Testing
import TributaryCore
import TributarySync

/// The counting of days and of what peers have said.
struct SilenceBookTests {
  private let peer = PeerIdentity(high: 1, low: 2)

  @Test func `a day counts once`() {
    var days = SynchronisedDays()
    for day: UInt64 in [10, 10, 11, 40, 40] { days.note(day) }
    #expect(days.count == 3)
    #expect(days.last == 40)
    #expect(SynchronisedDays(days.text) == days)
  }

  @Test func `a clock that was ahead makes no days pass when it is right again`() {
    var days = SynchronisedDays()
    for day: UInt64 in [10, 90_000, 11, 12] { days.note(day) }
    #expect(days.count == 3)
  }

  @Test func `what cannot be read starts over`() {
    for text in [nil, "", "x", "1 2 3", "-1 4"] as [String?] {
      #expect(SynchronisedDays(text) == SynchronisedDays())
    }
    #expect(PeerBook("1 2\nx y z\n").entries.isEmpty)
  }

  @Test func `a peer is silent for the days since it last said more than ever`() {
    var days = SynchronisedDays()
    var book = PeerBook()
    for day: UInt64 in 1...3 {
      days.note(day)
      book.note([peer: 5], on: days.count)
    }
    #expect(book.silence(of: peer, facts: 5, days) == 2)
    // An older file has come back.
    #expect(book.silence(of: peer, facts: 4, days) == 2)
    #expect(book.silence(of: peer, facts: 6, days) == 0)
    days.note(4)
    book.note([peer: 4], on: days.count)
    #expect(book.silence(of: peer, facts: 4, days) == 3)
    book.note([peer: 6], on: days.count)
    #expect(book.silence(of: peer, facts: 6, days) == 0)
    #expect(PeerBook(book.text) == book)
  }

  @Test func `a peer of which nothing is recorded is not silent`() {
    #expect(PeerBook().silence(of: peer, facts: 0, SynchronisedDays("9 20")) == 0)
  }
}
