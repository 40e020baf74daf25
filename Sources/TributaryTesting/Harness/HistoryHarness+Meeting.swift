internal import TributaryCore

extension HistoryHarness {
  /// Makes all devices learn everything, and then write: each may give the numbers of the same held rows
  /// again.
  mutating func meet() throws {
    try learnEverything()
    for device in devices {
      moveClock(of: device)
      for _ in 0..<random.number(1...3) { try write(device) }
    }
  }

  mutating func learnEverything() throws {
    for _ in 0..<2 {
      for device in devices { try synchronize(device) }
      try carrier.carryEverything(using: &random)
    }
    for device in devices { try synchronize(device) }
  }

  /// Makes one device delete rows to which others refer in new rows meanwhile. Devices that have learned of
  /// both hold such rows and give their numbers again, several of them; the others keep writing them.
  mutating func losingParents() throws {
    try learnEverything()
    let loser = random.pick(devices).number
    for device in devices {
      moveClock(of: device)
      for _ in 0..<random.number(1...2) {
        try write(device, device.number == loser ? .loss : .family)
      }
      try synchronize(device)
    }
    try carrier.carryEverything(using: &random)
    for device in devices where !random.once(in: 4) { try synchronize(device) }
    for _ in 0..<2 {
      for device in devices {
        moveClock(of: device)
        try write(device, random.pick([.family, .family, .change]))
      }
      try carrier.carry(using: &random)
      for device in devices where random.once(in: 3) { try synchronize(device) }
    }
  }
}
