import Testing
import TributaryTesting

/// Devices agree on what may be forgotten, in any order of delivery.
@Suite struct HorizonSimulationTests {
  @Test func `devices that forget can merge all that comes, end equal and lose nothing`() throws {
    var obeyed = 0
    var returned = 0
    try withSeeds(0..<2000, filter: "HorizonSimulationTests") { random in
      var fleet = HorizonFleet(count: Int.random(in: 1...5, using: &random))
      for _ in 0..<Int.random(in: 20...300, using: &random) { try fleet.step(using: &random) }
      try fleet.settle()
      obeyed += fleet.obeyed
      returned += fleet.returned
    }
    #expect(chosenSeed != nil || obeyed > 0 && returned > 0)
  }
}
