// Notes, one document for each: a package in a shared directory, and a database on each device.
//
//   notes list                      the notes of all devices
//   notes new NAME                  makes a note
//   notes add NAME TEXT             adds a line to it
//   notes check NAME NUMBER         marks a line as done
//   notes show NAME                 prints it
//   notes rename NAME NEW-NAME
//   notes delete NAME
//   notes follow NAME               prints what other devices change, until it is interrupted
//
// NOTES_SHARED names the shared directory. Everything else lies where TRIBUTARY_DATA says, otherwise in the XDG data
// directory, and stays on this device.
import Foundation
import Tributary

@main
struct Notes {
  static let usage =
    "usage: notes list | new NAME | add NAME TEXT | check NAME NUMBER | show NAME | rename NAME NEW-NAME | delete NAME | follow NAME"

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

  struct Misuse: Error {
    var message: String
  }

  static func run(_ arguments: [String]) async throws {
    guard let shared = ProcessInfo.processInfo.environment["NOTES_SHARED"] else {
      throw Misuse(message: "NOTES_SHARED does not name the shared directory")
    }
    let shelf = try Shelf(Container(at: shared))
    switch (arguments.first, arguments.count) {
    case ("list", 1): try await shelf.list()
    case ("new", 2): try await shelf.make(arguments[1])
    case ("add", 3): try await shelf.add(arguments[2], to: arguments[1])
    case ("check", 3):
      guard let number = Int(arguments[2]), number > 0 else {
        throw Misuse(message: "\(arguments[2]) is not the number of a line")
      }
      try await shelf.check(number, of: arguments[1])
    case ("show", 2): try await shelf.show(arguments[1])
    case ("rename", 3): try await shelf.rename(arguments[1], to: arguments[2])
    case ("delete", 2): try await shelf.delete(arguments[1])
    case ("follow", 2): try await shelf.follow(arguments[1])
    default: throw Misuse(message: usage)
    }
  }

  static func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("notes: \(message)\n".utf8))
    exit(status)
  }
}
