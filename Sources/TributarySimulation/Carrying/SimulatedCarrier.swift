internal import TributaryCore
internal import TributaryFiles
internal import TributaryTesting

/// Carries files between the disks of a fleet as badly as real carriers do: late, in any order, twice, cut
/// short, under other names.
///
/// The steps of a plan say what it does, and supply the randomness.
final class SimulatedCarrier {
  let disks: [Int: SimulatedDisk]
  private(set) var files: [ArchivedFile] = []
  private var indices: [String: Int] = [:]
  /// Temporary files that it has seen and that were gone later.
  private(set) var strays: [(path: String, bytes: [UInt8])] = []
  /// Called to count what it does to files.
  let note: (String) -> Void

  /// The stores that write, by device; a clone has two.
  var writers: [Int: PeerIdentity] = [:] {
    didSet {
      for (device, peer) in oldValue where writers[device] != peer {
        former[device, default: []].insert(peer)
      }
    }
  }
  /// The former identities of stores, even momentary ones: they may still publish segments under these.
  var former: [Int: Set<PeerIdentity>] = [:]

  /// The absolute paths of files that writers have removed.
  var withdrawn: Set<String> = []

  /// Whether it carries baselines, too; otherwise, they stay where they were written.
  var carriesBaselines = false

  /// Whether it permanently leaves out what one peer has published.
  var withholds = false

  private func isWithheld(_ file: ArchivedFile) -> Bool {
    withholds && file.isSegment && file.peerName == files.first(where: \.isSegment)?.peerName
  }

  init(disks: [Int: SimulatedDisk], note: @escaping (String) -> Void) {
    self.disks = disks
    self.note = note
  }

  var devices: [Int] { disks.keys.sorted() }

  static func absolute(_ path: String) -> String { "\(SimulatedDisk.container)/\(path)" }

  /// The directory of the peers.
  static let peersPath = absolute("tributary/H/peers")

  static func peerPath(_ peer: PeerIdentity) -> String { "\(peersPath)/\(peer)" }

  private static func relative(_ path: String) -> String {
    String(path.dropFirst(SimulatedDisk.container.utf8.count + 1))
  }

  /// Examines what devices have written, each in the directory of its current store.
  private func collect(
    from device: Int, as peer: PeerIdentity, onlyNew: Bool = false,
    using random: inout SeededGenerator
  ) {
    guard let disk = disks[device] else { return }
    for path in disk.paths(below: Self.peerPath(peer))
    where !onlyNew || indices[Self.relative(path)] == nil {
      guard let bytes = disk.bytes(path) else { continue }
      let relative = Self.relative(path)
      let name = path.lastPathComponent
      if !carriesBaselines, ArchivedFile.isBaseline(name) { continue }
      if !ArchivedFile.isPublished(name), !ArchivedFile.isBaseline(name) {
        if path.lastPathComponent.hasPrefix(".tmp-"),
          !strays.contains(where: { $0.path == relative })
        {
          strays.append((relative, bytes))
        }
      } else if let index = indices[relative] {
        // A segment never changes. If a copy of the store finds a damaged file in its place, the copy did not
        // write it.
        if files[index].isSegment, files[index].latest.count == bytes.count { continue }
        files[index].add(bytes)
      } else {
        indices[relative] = files.count
        files.append(
          ArchivedFile(path: relative, bytes: bytes, isHeldBack: random.once(in: 12)))
      }
    }
  }

  func collectAll(using random: inout SeededGenerator) {
    for device in devices {
      if let peer = writers[device] { collect(from: device, as: peer, using: &random) }
      for peer in former[device, default: []].sorted() {
        collect(from: device, as: peer, onlyNew: true, using: &random)
      }
    }
  }

  /// Returns the files that a device lacks, or has in a state other than the last seen one, as indices into
  /// `files`.
  func errands(to device: Int) -> [Int] {
    guard let disk = disks[device] else { return [] }
    return files.indices.filter { index in
      let file = files[index]
      return !isWithheld(file) && !isOnlyWriter(device, of: file)
        && disk.bytes(Self.absolute(file.path)) != file.latest
    }
  }

  /// Whether only the device itself writes a file. A device does not receive what it has written itself,
  /// unless something goes wrong.
  func isOnlyWriter(_ device: Int, of file: ArchivedFile) -> Bool {
    writers.filter { $0.value == file.peer }.map(\.key) == [device]
  }

  /// Whether a device has all baselines that were ever seen and not removed, intact.
  func hasBaselines(on device: Int) -> Bool {
    files.filter { ArchivedFile.isBaseline($0.name) }.allSatisfy { file in
      let path = Self.absolute(file.path)
      return withdrawn.contains(path) || disks[device]?.bytes(path) == file.best
    }
  }

  // MARK: Delivering

  func deliver(_ index: Int, to device: Int, using random: inout SeededGenerator) {
    put(files[index].latest, at: files[index].path, on: device, using: &random)
  }

  func put(
    _ bytes: [UInt8], at path: String, on device: Int, using random: inout SeededGenerator
  ) {
    guard let disk = disks[device] else { return }
    let path = Self.absolute(path)
    disk.makeDirectories(path.parentDirectory)
    // The times of files are meaningless.
    let modified = random.pick([0, 1_700_000_000_000, 1_700_000_000_000, UInt64(1) << 41])
    if let file = disk.file(path), random.once(in: 3) {
      // Written directly into the existing file.
      file.replace(bytes)
      if !random.once(in: 4) { file.modified = modified }
    } else {
      disk.create(path, bytes, modified: modified)
    }
  }

  // MARK: The end

  /// Brings everything everywhere, intact: for living writers, what they have on their disks; for others,
  /// what was last seen.
  ///
  /// - Parameters:
  ///   - restoring: whether to restore to writers what they have lost, too.
  ///   - withdrawn: files that their writers have removed, which are then removed everywhere.
  /// - Returns: whether anything was missing anywhere.
  func carryEverything(restoring: Bool, withdrawn: Set<String> = []) -> Bool {
    var random = SeededGenerator(seed: 0)
    collectAll(using: &random)
    var hasCarried = false
    for file in files where !isWithheld(file) {
      let owners = writers.filter { $0.value == file.peer }.map(\.key).sorted()
      let path = Self.absolute(file.path)
      if withdrawn.contains(path) {
        for device in devices where disks[device]?.file(path) != nil {
          disks[device]?.remove(path)
          hasCarried = true
        }
        continue
      }
      // A writer determines the contents of its file.
      let source = owners.lazy.compactMap { self.disks[$0]?.bytes(path) }.first
      if !owners.isEmpty, source == nil, !restoring { continue }
      let bytes = owners.count == 1 ? source ?? file.best : file.best
      for device in devices where owners != [device] || source == nil {
        guard let disk = disks[device], disk.bytes(path) != bytes else { continue }
        if owners.contains(device), !file.isSegment { continue }
        disk.makeDirectories(path.parentDirectory)
        disk.create(path, bytes, modified: 1_700_000_000_000)
        hasCarried = true
      }
    }
    for device in devices { disks[device]?.flush() }
    return hasCarried
  }
}
