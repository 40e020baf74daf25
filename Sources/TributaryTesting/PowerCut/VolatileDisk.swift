internal import TributaryFiles

/// A disk with a cache: when the power is cut, what was not made durable is lost in part, in any
/// order.
struct VolatileDisk {
  /// A change of a file's contents that a power cut may undo.
  private enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
  }

  /// A change of the names in one directory.
  private enum Entry {
    case link(String, file: Int)
    case unlink(String)
    case rename(String, to: String)
  }

  private var contents: [Int: [UInt8]]
  private var changes: [Int: [Change]] = [:]
  private var names: [String: Int]
  private var entries: [String: [Entry]] = [:]
  private var directories: Set<String>

  init(contents: [Int: [UInt8]], names: [String: Int], directories: Set<String>) {
    self.contents = contents
    self.names = names
    self.directories = directories
  }

  mutating func perform(_ operation: DiskOperation) {
    switch operation {
    case .create(let file, let path):
      entries[path.parentDirectory, default: []].append(.link(path, file: file))
    case .write(let file, let offset, let bytes):
      changes[file, default: []].append(.write(offset: offset, bytes: bytes))
    case .truncate(let file, let size): changes[file, default: []].append(.truncate(size: size))
    case .synchronize(let file):
      for change in changes.removeValue(forKey: file) ?? [] { apply(change, to: file) }
    case .makeDirectory(let path): directories.insert(path)
    case .rename(let path, let other):
      entries[path.parentDirectory, default: []].append(.rename(path, to: other))
    case .remove(let path): entries[path.parentDirectory, default: []].append(.unlink(path))
    case .synchronizeDirectory(let path):
      for entry in entries.removeValue(forKey: path) ?? [] { apply(entry) }
    }
  }

  /// Returns the disk with some of what was not durable: the first changes of names, and any
  /// changes of contents.
  func image(using random: inout SeededGenerator) -> DiskImage {
    var disk = self
    for path in entries.keys.sorted() {
      let list = entries[path] ?? []
      for entry in list.prefix(Int.random(in: 0...list.count, using: &random)) { disk.apply(entry) }
    }
    for file in changes.keys.sorted() {
      let share = [0, 0.5, 0.9, 1].randomElement(using: &random)!
      for change in changes[file] ?? [] where Double.random(in: 0..<1, using: &random) < share {
        disk.apply(Self.torn(change, share, using: &random), to: file)
      }
    }
    return DiskImage(
      files: disk.names.mapValues { disk.contents[$0] ?? [] }, directories: directories)
  }

  /// Returns a partial write: a disk writes only one sector of 512 bytes at once.
  private static func torn(
    _ change: Change, _ share: Double, using random: inout SeededGenerator
  ) -> Change {
    guard case .write(let offset, let bytes) = change, share < 1, bytes.count > 512,
      Int.random(in: 0..<4, using: &random) == 0
    else { return change }
    let sectors = Int.random(in: 1...(bytes.count / 512), using: &random)
    return .write(offset: offset, bytes: Array(bytes.prefix(sectors * 512)))
  }

  private mutating func apply(_ change: Change, to file: Int) {
    switch change {
    case .write(let offset, let bytes):
      var whole = contents[file] ?? []
      if whole.count < offset + bytes.count {
        whole += [UInt8](repeating: 0, count: offset + bytes.count - whole.count)
      }
      whole.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      contents[file] = whole
    case .truncate(let size):
      let whole = contents[file] ?? []
      contents[file] =
        whole.count > size
        ? Array(whole.prefix(size)) : whole + [UInt8](repeating: 0, count: size - whole.count)
    }
  }

  private mutating func apply(_ entry: Entry) {
    switch entry {
    case .link(let path, let file): names[path] = file
    case .unlink(let path): names[path] = nil
    case .rename(let path, let other): names[other] = names.removeValue(forKey: path)
    }
  }
}
