import TributaryCore
import TributaryHorizon
import TributaryTesting

/// Devices that agree on horizons over a carrier that promises nothing.
struct HorizonFleet {
  private var world = HorizonWorld()
  private var devices: [HorizonDevice] = []
  private var proposalCount: UInt64 = 0
  /// How often each thing has happened.
  private(set) var obeyed = 0
  private(set) var returned = 0

  init(count: Int) { for _ in 0..<count { devices.append(HorizonDevice(in: &world)) } }

  /// Does something at random.
  mutating func step(using random: inout SeededGenerator) throws {
    let index = Int.random(in: 0..<devices.count, using: &random)
    let identity = devices[index].identity
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<3:
      world.itemCount += 1
      devices[index].write([world.itemCount], in: &world)
    case 3..<10:
      if let author = world.transactions.keys.sorted().randomElement(using: &random) {
        _ = try devices[index].importNext(of: author, in: world)
      }
    case 10..<12: devices[index].publish(in: &world)
    case 12..<15:
      if let statement = world.statements.randomElement(using: &random) {
        devices[index].read(statement)
      }
    case 15:
      let others = devices.map(\.identity).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
      try propose(index, to: Set(others + [identity]))
    case 16, 17:
      if let proposal = devices[index].facts.declarations.values.sorted().randomElement(
        using: &random)
      {
        _ = devices[index].promise(proposal, in: world)
      }
    case 18:
      if try devices[index].obeyDeclared(in: &world) {
        obeyed += 1
        try checkMembers()
      }
    default:
      if let declaration = world.baselines.randomElement(using: &random) {
        try answer(index, declaration)
      }
    }
  }

  /// The lemma: whatever a member of a declared horizon has passes it, unless it has gone on to a later one.
  private func checkMembers() throws {
    for declaration in world.baselines {
      for device in devices where declaration.members.contains(device.identity) {
        if let obeyed = device.state.obeyed, obeyed > declaration { continue }
        try device.checkPasses(declaration, world)
      }
    }
  }

  @discardableResult private mutating func propose(_ index: Int, to members: Set<PeerIdentity>)
    throws -> Bool
  {
    proposalCount += 1
    return try devices[index].propose(to: members, as: proposalCount, in: world)
  }

  @discardableResult private mutating func answer(_ index: Int, _ declaration: Declaration) throws
    -> Bool
  {
    let identity = devices[index].identity
    let changes = try devices[index].answer(declaration, in: &world)
    if devices[index].identity != identity { returned += 1 }
    return changes
  }

  /// Delivers everything to everybody until nothing happens any more.
  private mutating func deliver() throws -> Bool {
    var changed = false
    var goesOn = true
    while goesOn {
      goesOn = false
      for device in devices { device.publish(in: &world) }
      for index in devices.indices {
        for statement in world.statements.suffix(10 * devices.count) {
          devices[index].read(statement)
        }
        if try devices[index].obeyDeclared(in: &world) { goesOn = true }
        for declaration in world.baselines.sorted().reversed() {
          if try answer(index, declaration) { goesOn = true }
        }
        for author in world.transactions.keys.sorted() {
          while try devices[index].importNext(of: author, in: world) { goesOn = true }
        }
      }
      changed = changed || goesOn
    }
    return changed
  }

  /// Lets everything arrive and those who wait leave others out; then all devices are equal and nothing is lost.
  mutating func settle() throws {
    for device in devices { device.publish(in: &world) }
    for index in devices.indices {
      for statement in world.statements { devices[index].read(statement) }
    }
    for round in 0... {
      try demand(round < 100, "it goes on for ever")
      while try deliver() {}
      try checkMembers()
      guard let index = devices.indices.first(where: { !devices[$0].state.promises.isEmpty }) else {
        break
      }
      // First with all, then alone: nobody waits for what others cannot promise.
      let members = round.isMultiple(of: 2) ? devices.map(\.identity) : [devices[index].identity]
      if try propose(index, to: Set(members)) {
        let proposal = devices[index].state.promises.last!
        for other in devices.indices { _ = devices[other].promise(proposal, in: world) }
      }
    }
    for device in devices {
      try demand(
        device.imported == devices[0].imported, "\(device.imported) is not \(devices[0].imported)")
      try demand(device.state.obeyed == devices[0].state.obeyed, "they obey different declarations")
      try demand(
        world.items(of: device.imported)
          == Set(1...max(1, world.itemCount)).intersection(0...world.itemCount),
        "something is lost")
      if let obeyed = device.state.obeyed { try device.checkPasses(obeyed, world) }
    }
  }
}
