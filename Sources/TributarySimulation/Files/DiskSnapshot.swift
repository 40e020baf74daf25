internal import TributaryTesting

/// The contents of a disk at one moment, as a backup keeps them.
struct DiskSnapshot {
  private var directories: [String] = []
  private var files: [(path: String, bytes: [UInt8])] = []

  init(of disk: SimulatedDisk) {
    add(SimulatedDisk.container, of: disk)
  }

  private mutating func add(_ directory: String, of disk: SimulatedDisk) {
    guard let names = disk.names(in: directory) else { return }
    directories.append(directory)
    for name in names {
      let path = "\(directory)/\(name)"
      if let bytes = disk.bytes(path) {
        files.append((path, bytes))
      } else {
        add(path, of: disk)
      }
    }
  }

  /// Restores the disk; anything that has come since is gone.
  func restore(to disk: SimulatedDisk, modified: UInt64) {
    disk.removeDirectory(SimulatedDisk.container)
    for directory in directories { disk.makeDirectories(directory) }
    for (path, bytes) in files { disk.create(path, bytes, modified: modified) }
    disk.flush()
  }
}
