internal import TributaryCore

extension HistoryHarness {
  /// All learn everything, and then all write: each may give the numbers of the same held rows again.
  mutating func meet() throws {
    for _ in 0..<2 {
      for device in devices { try synchronize(device) }
      try carrier.carryEverything(using: &random)
    }
    for device in devices { try synchronize(device) }
    for device in devices {
      moveClock(of: device)
      for _ in 0..<random.number(1...3) { try write(device) }
    }
  }
}
