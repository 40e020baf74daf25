internal import TributaryCore
internal import TributaryTesting

extension SimulatedCarrier {
  /// Brings a device some of the files that it lacks.
  ///
  /// - Parameters:
  ///   - patience: one file in this many is brought; 1 brings all.
  ///   - care: one file in this many meets with an accident; `nil` means none.
  func carry(
    to device: Int, patience: Int, care: Int?, using random: inout SeededGenerator
  ) {
    collectAll(using: &random)
    removeSome(on: device, patience: patience, using: &random)
    for index in errands(to: device).shuffled(using: &random) {
      guard !files[index].isHeldBack, random.once(in: patience) else { continue }
      if let care, random.once(in: care) {
        haveAccident(index, on: device, using: &random)
      } else {
        deliver(index, to: device, using: &random)
      }
    }
  }

  /// Removes some files. Removals also arrive in any order, and a removed file may still arrive
  /// afterwards.
  private func removeSome(
    on device: Int, patience: Int, using random: inout SeededGenerator
  ) {
    guard let disk = disks[device] else { return }
    for path in withdrawn.sorted() where disk.file(path) != nil {
      guard random.once(in: patience + 1) else { continue }
      note("carrier: a removal")
      disk.remove(path)
    }
  }

  private func haveAccident(_ index: Int, on device: Int, using random: inout SeededGenerator) {
    let file = files[index]
    let count = file.latest.count
    switch random.number(0...7) {
    case 0:
      note("carrier: zero-length file")
      put([], at: file.path, on: device, using: &random)
    case 1 where count > 0:
      note("carrier: file cut short")
      let kept = random.pick([random.number(0...count - 1), count - 1])
      put(Array(file.latest.prefix(kept)), at: file.path, on: device, using: &random)
    case 2 where count > 0:
      note("carrier: other bytes under the same size")
      var bytes = file.latest
      bytes[random.number(0...count - 1)] ^= UInt8(1 << random.number(0...7))
      put(bytes, at: file.path, on: device, using: &random)
    case 3:
      note("carrier: under the name of a conflict copy")
      litter(index, on: device, using: &random)
    case 4 where file.versions.count > 1:
      note("carrier: an older version")
      put(random.pick(file.versions), at: file.path, on: device, using: &random)
    case 5:
      note("carrier: twice, once under another name")
      litter(index, on: device, using: &random)
      deliver(index, to: device, using: &random)
    case 6:
      note("carrier: twice")
      deliver(index, to: device, using: &random)
      deliver(index, to: device, using: &random)
    default:
      note("carrier: a file lost")
      lose(on: device, using: &random)
    }
  }

  /// Leaves a copy under a name that carriers make, complete or not.
  private func litter(_ index: Int, on device: Int, using random: inout SeededGenerator) {
    let file = files[index]
    let parts = file.name.split(separator: ".", maxSplits: 1)
    let (stem, suffix) = (parts[0], parts.count > 1 ? parts[1] : "")
    let name = random.pick([
      "\(stem).sync-conflict-20240101-120000-ABCDEFG.\(suffix)", ".syncthing.\(file.name).tmp",
      "~syncthing~\(file.name).tmp", "\(file.name).partial", "\(stem) (1).\(suffix)",
      "\(stem) (Ann's conflicted copy 2024-01-01).\(suffix)", ".nfs000000012",
      "\(file.name).icloud", ".\(file.name).aB3xY9", file.name.uppercased(),
    ])
    let count = file.latest.count
    let kept = random.once(in: 2) ? count : random.number(0...count)
    let directory = file.path.dropLast(file.name.utf8.count)
    put(Array(file.latest.prefix(kept)), at: directory + name, on: device, using: &random)
  }

  /// Removes from a device a file of another writer that had arrived.
  func lose(on device: Int, using random: inout SeededGenerator) {
    let present = files.filter { file in
      !isOnlyWriter(device, of: file)
        && disks[device]?.file(Self.absolute(file.path)) != nil
    }
    guard let file = present.randomElement(using: &random) else { return }
    disks[device]?.remove(Self.absolute(file.path))
  }

  /// Removes from a device a file that it has published itself.
  func loseOwn(of device: Int, using random: inout SeededGenerator) {
    let present = files.filter { file in
      isOnlyWriter(device, of: file) && disks[device]?.file(Self.absolute(file.path)) != nil
    }
    guard let file = present.randomElement(using: &random) else { return }
    let path = Self.absolute(file.path)
    let bytes = disks[device]?.bytes(path) ?? []
    if random.once(in: 2) || bytes.isEmpty {
      note("carrier: a file lost at its writer")
      disks[device]?.remove(path)
    } else {
      note("carrier: a file cut short at its writer")
      disks[device]?.file(path)?.replace(Array(bytes.prefix(random.number(0...bytes.count - 1))))
    }
  }

  /// Brings back, to any device, files that once existed: earlier versions and temporary files.
  func resurrect(on device: Int, using random: inout SeededGenerator) {
    if let stray = strays.randomElement(using: &random), random.once(in: 2) {
      note("carrier: a removed temporary file came back")
      put(stray.bytes, at: stray.path, on: device, using: &random)
    } else if let file = files.filter({ $0.versions.count > 1 || $0.isSegment })
      .randomElement(using: &random)
    {
      note("carrier: an earlier file came back")
      put(
        file.isSegment ? file.best : random.pick(file.versions), at: file.path, on: device,
        using: &random)
    }
    // A resurrected file must not be left half written on the disk of its own writer.
    disks[device]?.flush()
  }
}
