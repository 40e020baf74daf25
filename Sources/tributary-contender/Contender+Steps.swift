import FoundationEssentials
import Glibc
import TributaryCoordination

extension Contender {
  /// The items below the root, and the root.
  static let items = ["", "a", "b", "directory", "directory/c", "package"]

  /// One access to one or two items. In it, the locks of the kernel must be free that say the same.
  func step(_ random: inout SeededRandom) throws {
    let first = Self.items.randomElement(using: &random)!
    let second =
      Int.random(in: 0..<4, using: &random) == 0 ? Self.items.randomElement(using: &random)! : first
    // Now and then the root, which all others wait for.
    let isWriting = Int.random(in: 0..<(first.isEmpty ? 6 : 2), using: &random) == 0
    let hold = UInt32.random(in: 0..<600, using: &random)
    var intents = [intent(first, isWriting)]
    if second != first { intents.append(intent(second, !second.isEmpty)) }
    try coordinator().coordinate(with: intents) { _ in
      var witnesses: [Int32] = []
      defer { for witness in witnesses { close(witness) } }
      var exclusive = Set(isWriting ? Self.covered(by: first) : [])
      if second != first, !second.isEmpty { exclusive.formUnion(Self.covered(by: second)) }
      let shared = Set([first, second]).subtracting(exclusive)
      for (items, kind) in [(exclusive, LOCK_EX), (shared, LOCK_SH)] {
        for item in items { witnesses.append(try take(item, kind)) }
      }
      usleep(hold)
      Self.report(isWriting ? "w" : "r")
    }
  }

  private func intent(_ item: String, _ isWriting: Bool) -> FileAccessIntent {
    // What lies in a package is the package.
    let url = item == "package" ? url("package/part") : url(item)
    return isWriting ? .writingIntent(with: url) : .readingIntent(with: url)
  }

  private static func covered(by item: String) -> [String] {
    items.filter { item.isEmpty || $0 == item || $0.hasPrefix(item + "/") }
  }

  private struct Overlap: Error { var item: String }

  /// Takes the lock of an item, which nobody else can have.
  private func take(_ item: String, _ kind: Int32) throws -> Int32 {
    let name = item.isEmpty ? "root" : item.replacing("/", with: "-")
    let file = open("\(root).witness/\(name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, flock(file, kind | LOCK_NB) == 0 else { throw Overlap(item: name) }
    return file
  }
}
