internal import TributaryCore

/// Carries published files between the containers of several devices, as unkindly as real carriers
/// do: late, in any order, twice, cut short, under other names.
struct Carrier {
  /// The container of each device.
  let containers: [String]

  /// The directory of the peers in every container.
  static let peersPath = "tributary/H/peers"

  private(set) var files: [CarriedFile] = []
  private var indices: [String: Int] = [:]
  /// The paths of segments that only their authors have any more.
  private var covered: Set<String> = []

  /// How unkind it is: one file in this many is carried at a time, and one accident in this many
  /// happens.
  private let patience: Int
  private let care: Int

  init(containers: [String], using random: inout SeededGenerator) {
    self.containers = containers
    patience = random.pick([1, 2, 2, 3, 5])
    care = random.pick([4, 10, 30, 1_000_000])
  }

  // MARK: Seeing what has been published

  /// Examines the directories of a device's own peers.
  ///
  /// - Throws: if a published file has changed.
  mutating func collect(
    from device: Int, peers: [PeerIdentity], using random: inout SeededGenerator
  ) throws {
    for peer in peers {
      let directory = "\(Self.peersPath)/\(peer)"
      for name in RawFiles.list("\(containers[device])/\(directory)/log") {
        try collect("\(directory)/log/\(name)", from: device, isFinal: true, using: &random)
      }
      try collect("\(directory)/peer.json", from: device, isFinal: false, using: &random)
    }
  }

  private mutating func collect(
    _ path: String, from device: Int, isFinal: Bool, using random: inout SeededGenerator
  ) throws {
    if covered.contains(path) { return }
    let name = path.split(separator: "/").last!
    if isFinal, name.hasPrefix(".") || !name.hasSuffix(".lz4") || name.utf8.count != 54 {
      throw HarnessFailure("a published directory holds \(path)")
    }
    guard let bytes = RawFiles.read("\(containers[device])/\(path)") else { return }
    if let index = indices[path] {
      guard files[index].bytes != bytes else {
        files[index].states[device] = .whole
        return
      }
      try demand(!isFinal, "the published file \(path) was written again with other bytes")
      files[index].bytes = bytes
      for other in containers.indices where other != device { files[index].states[other] = .absent }
    } else {
      var file = CarriedFile(
        path: path, origin: device, bytes: bytes, isHeldBack: random.once(in: 12),
        states: containers.map { _ in .absent })
      file.states[device] = .whole
      indices[path] = files.count
      files.append(file)
    }
  }

  // MARK: Carrying

  /// Carries some of what has not arrived yet, with accidents.
  mutating func carry(using random: inout SeededGenerator) throws {
    var errands: [(file: Int, device: Int)] = []
    for index in files.indices {
      for device in containers.indices where files[index].states[device] != .whole {
        errands.append((index, device))
      }
    }
    for (index, device) in errands.shuffled(using: &random) {
      if files[index].isHeldBack || !random.once(in: patience) { continue }
      if random.once(in: care) {
        try cutShort(index, device, using: &random)
      } else {
        try deliver(index, to: device, using: &random)
      }
      if random.once(in: care) { try litter(index, device, using: &random) }
    }
    if random.once(in: care), !files.isEmpty {
      try spoil(random.number(0...files.count - 1), using: &random)
    }
  }

  /// Carries everything everywhere, intact.
  mutating func carryEverything(using random: inout SeededGenerator) throws {
    for index in files.indices.shuffled(using: &random) {
      for device in containers.indices where files[index].states[device] != .whole {
        try deliver(index, to: device, using: &random)
      }
    }
  }

  /// Restores what accidents have removed from the device that wrote it.
  mutating func restore(_ device: Int, using random: inout SeededGenerator) throws {
    for index in files.indices
    where files[index].origin == device && files[index].states[device] != .whole {
      try deliver(index, to: device, using: &random)
    }
  }

  /// Removes everything that a device has published under an identity, and its directory.
  mutating func wipe(_ device: Int, peer: PeerIdentity) throws {
    try RawFiles.removeDirectory("\(containers[device])/\(Self.peersPath)/\(peer)")
    for index in files.indices where files[index].peerName == peer.description {
      files[index].states[device] = .absent
    }
  }

  /// Removes segments from everybody but their authors, except the last one of each peer.
  ///
  /// - Parameter isCovered: whether nobody needs a segment, by its peer and its last transaction.
  mutating func remove(where isCovered: (PeerIdentity, SequenceNumber) -> Bool) throws {
    let last = Dictionary(
      files.compactMap { file in file.sequences.map { (file.peerName, $0.upperBound) } },
      uniquingKeysWith: max)
    let removed = files.filter { file in
      guard let upper = file.sequences?.upperBound, let peer = PeerIdentity(hex: file.peerName) else {
        return false
      }
      return isCovered(peer, SequenceNumber(upper)) && upper < last[file.peerName] ?? 0
    }
    for file in removed {
      for (number, container) in containers.enumerated()
      where number != file.origin && RawFiles.exists("\(container)/\(file.path)") {
        try RawFiles.remove("\(container)/\(file.path)")
      }
    }
    covered.formUnion(removed.map(\.path))
    files.removeAll { covered.contains($0.path) }
    indices = Dictionary(uniqueKeysWithValues: zip(files.map(\.path), files.indices))
  }

  private func place(_ index: Int, _ device: Int) throws -> String {
    let directory = "\(containers[device])/\(files[index].directory)"
    try RawFiles.makeDirectories(directory)
    return directory
  }

  private mutating func deliver(
    _ index: Int, to device: Int, using random: inout SeededGenerator
  ) throws {
    let file = files[index]
    let directory = try place(index, device)
    if random.once(in: 3) {
      // Directly under the final name.
      try RawFiles.write(file.bytes, to: "\(directory)/\(file.name)")
    } else {
      let temporary = "\(directory)/.syncthing.\(file.name).tmp"
      try RawFiles.write(file.bytes, to: temporary)
      try RawFiles.move(temporary, to: "\(directory)/\(file.name)")
    }
    files[index].states[device] = .whole
  }

  private mutating func cutShort(
    _ index: Int, _ device: Int, using random: inout SeededGenerator
  ) throws {
    // Nobody cuts short what its own writer has published; that would not be carrying.
    let file = files[index]
    guard file.origin != device, !file.bytes.isEmpty else { return }
    let length = random.pick([0, random.number(0...file.bytes.count - 1), file.bytes.count - 1])
    try RawFiles.write(
      file.bytes.prefix(length), to: "\(try place(index, device))/\(file.name)")
    files[index].states[device] = .partial
  }

  /// Leaves copies under names that carriers make, complete or not.
  private func litter(
    _ index: Int, _ device: Int, using random: inout SeededGenerator
  ) throws {
    let file = files[index]
    let stem = file.name.split(separator: ".").first!
    let name = random.pick([
      "\(stem).sync-conflict-20240101-120000-ABCDEFG.lz4", ".syncthing.\(file.name).tmp",
      "\(file.name).partial", "\(stem) (1).lz4", "\(stem) (conflicted copy).lz4", ".nfs000000012",
      "\(file.name).icloud", ".\(file.name).aB3xY9", file.name.uppercased(),
    ])
    let length = random.once(in: 2) ? file.bytes.count : random.number(0...file.bytes.count)
    // Not among its own files: the carrier brings nothing there, since nobody else writes there.
    guard file.origin != device else { return }
    try RawFiles.write(file.bytes.prefix(length), to: "\(try place(index, device))/\(name)")
  }

  /// Damages a file that had arrived: removes it, or fetches it again and gets stuck.
  private mutating func spoil(_ index: Int, using random: inout SeededGenerator) throws {
    let device = random.number(0...containers.count - 1)
    guard files[index].states[device] == .whole else { return }
    if random.once(in: 2) {
      try RawFiles.remove("\(containers[device])/\(files[index].path)")
      files[index].states[device] = .absent
    } else {
      try cutShort(index, device, using: &random)
    }
  }
}
