import Foundation
import TributaryCore
import TributaryTesting

/// Carrying files between containers that each belong to one device.
extension HorizonFleet {
  /// Brings a random part of what one device has published or removed to another, in any order.
  func carry(
    from owner: String, to other: String, oneIn patience: Int, _ random: inout SeededGenerator
  ) throws {
    let source = try directory(of: owner).peer(peer(owner))
    let target = try directory(of: other).peer(peer(owner))
    let (present, known) = (files(in: source), files(in: target))
    for file in Set(present).union(known).sorted().shuffled(using: &random)
    where random.once(in: patience) {
      let bytes = FileManager.default.contents(atPath: "\(source)/\(file)")
      let path = "\(target)/\(file)"
      if let bytes {
        if bytes == FileManager.default.contents(atPath: path) { continue }
        try FileManager.default.createDirectory(
          atPath: URL(filePath: path).deletingLastPathComponent().path(),
          withIntermediateDirectories: true)
        try bytes.write(to: URL(filePath: path), options: .atomic)
      } else {
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  /// Brings everything everywhere.
  func carryEverything(_ random: inout SeededGenerator) throws {
    let names = sessions.keys.sorted()
    for owner in names {
      for other in names where other != owner {
        try carry(from: owner, to: other, oneIn: 1, &random)
      }
    }
  }

  /// Lets all have everything that all have written.
  func settle(rounds: Int, _ random: inout SeededGenerator) throws {
    for _ in 0..<rounds {
      for name in sessions.keys.sorted() {
        clock.advance(by: 1)
        _ = try self[name].synchronize()
      }
      try carryEverything(&random)
    }
  }

  private func files(in directory: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: directory)?.allObjects ?? []
    return all.compactMap { $0 as? String }.filter { file in
      let name = file.split(separator: "/").last ?? ""
      return name.contains(".") && !name.hasPrefix(".")
    }
  }
}
