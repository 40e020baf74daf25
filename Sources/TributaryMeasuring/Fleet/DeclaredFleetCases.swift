import TributaryStore
import TributarySync

/// A container of 1,000 devices. Ten of them write.
struct DeclaredFleetCases {
  let options: Options
  let fixtures: Fixtures

  private static let name = "1,000 peers, 10 of which write"
  private static let count = 1000

  var all: [Case] {
    [
      Case(
        [
          Figure("\(Self.name): segment of a row", .bytes, must: 700, goal: nil),
          Figure("\(Self.name): peer.json", .bytes, must: 2000, goal: nil),
          Figure("\(Self.name): sync with nothing new", .milliseconds, must: 10, goal: nil),
          Figure(
            "\(Self.name): the same in a new session", .milliseconds, must: 10, goal: nil),
          Figure(
            "\(Self.name): sync with 10 new segments, beyond the import", .milliseconds, must: 20,
            goal: nil),
          Figure(
            "\(Self.name): with 10 new segments in a new session", .milliseconds, must: 20,
            goal: nil),
        ]
      ) { [self] in
        try DeclaredFleetRun(
          fleet: DeclaredFleet(of: Self.count, fixtures.scratch), scratch: fixtures.scratch,
          rounds: options.rounds
        ).measure()
      }
    ]
  }
}
