import Foundation

/// Returns how many descriptors of this process refer to the files of a database.
package func openDescriptors(of path: String) -> Int {
  let directory = "/proc/self/fd"
  // A descriptor that is closed meanwhile leads nowhere.
  let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  return names.count { name in
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")
    return target?.hasPrefix(resolved) == true
  }
}
