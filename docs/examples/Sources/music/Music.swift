// A music library with one database on each device.
//
//   music add ARTIST TITLE [YEAR]   adds an album
//   music play TITLE                counts a listening
//   music rate TITLE STARS          from 1 to 5
//   music list                      the albums, and how often they were played on all devices
//   music conflicts                 what two devices have written at the same time
//   music keep ID | restore ID      settles a conflict: as it is shown, or as it was lost
//   music serve                     publishes and imports until it is interrupted, and prints what happens
//
// MUSIC_LIBRARY is the database of this device, and MUSIC_SHARED the directory that all devices share. Commands and the
// service may run at the same time: each opens the same database.
import Foundation
import Tributary

@main
struct Music {
  static let usage =
    "usage: music add ARTIST TITLE [YEAR] | play TITLE | rate TITLE STARS | list | conflicts | keep ID | restore ID | serve"

  struct Misuse: Error {
    var message: String
  }

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as Misuse {
      fail(error.message, status: 2)
    } catch {
      // Every error of the library says what, where, and what to do about it.
      fail(error.localizedDescription, status: 1)
    }
  }

  static func run(_ arguments: [String]) async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let path = environment["MUSIC_LIBRARY"], let shared = environment["MUSIC_SHARED"] else {
      throw Misuse(message: "MUSIC_LIBRARY or MUSIC_SHARED is missing in the environment")
    }
    // A command imports what has arrived before it begins, and publishes what it has written. The service does both all the
    // time.
    let isService = arguments == ["serve"]
    let library = try await MusicLibrary(
      at: path, container: Container(expectedAt: shared), isService: isService)
    defer { library.close() }
    if !isService { _ = try await library.store.synchronize() }
    switch (arguments.first, arguments.count) {
    case ("add", 3...4):
      let year = try arguments.count == 4 ? number(arguments[3], in: 1000...9999) : nil
      try library.add(arguments[2], by: arguments[1], year: year)
    case ("play", 2): try library.play(arguments[1])
    case ("rate", 3): try library.rate(arguments[1], number(arguments[2], in: 1...5))
    case ("list", 1): try library.list()
    case ("conflicts", 1): try library.listConflicts()
    case ("keep", 2): try library.settle(arguments[1], .keep)
    case ("restore", 2): try library.settle(arguments[1], .restore)
    case ("serve", 1): return try await library.serve()
    default: throw Misuse(message: usage)
    }
    try await library.publish()
  }

  static func number(_ text: String, in range: ClosedRange<Int>) throws -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw Misuse(message: "\(text) is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  static func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("music: \(message)\n".utf8))
    exit(status)
  }
}
