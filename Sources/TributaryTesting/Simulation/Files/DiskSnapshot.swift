/// All that a disk held at one moment, as a backup keeps it.
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

  /// Brings the disk back to it: what has come since is gone.
  func restore(to disk: SimulatedDisk, modified: UInt64) {
    disk.removeDirectory(SimulatedDisk.container)
    for directory in directories { disk.makeDirectories(directory) }
    for (path, bytes) in files { disk.create(path, bytes, modified: modified) }
    disk.flush()
  }
}
