import FoundationEssentials
import Glibc
import TributaryCoordination
import TributaryFiles

/// A process that uses items, and reports a line for each step.
struct Contender: Sendable {
  let domain: CoordinationDomain
  let root: String
  let rest: [String]

  func coordinator() -> FileCoordinator { FileCoordinator(domain: domain) }

  func url(_ name: String) -> URL { URL(filePath: name.isEmpty ? root : "\(root)/\(name)") }

  /// Reads and writes at random with some threads; `contend ROOT SEED THREADS`.
  func contend() throws {
    let threads = Int(rest[1])!
    for number in 0..<threads {
      _ = try WorkerThread(name: "contender") {
        var random = SeededRandom(state: UInt64(rest[0])! &* 1000 &+ UInt64(number))
        do {
          while true { try step(&random) }
        } catch {
          Self.report("failed: \(error)")
          exit(1)
        }
      }
    }
    while true { pause() }
  }

  /// Reads one item all the time, with threads that overlap: `read ROOT ITEM THREADS`.
  func read() throws {
    for _ in 0..<Int(rest[1])! {
      _ = try WorkerThread(name: "contender") {
        do {
          while true {
            try coordinator().coordinate(readingItemAt: url(rest[0])) { _ in _ = usleep(2000) }
          }
        } catch {
          Self.report("failed: \(error)")
          exit(1)
        }
      }
    }
    Self.report("reading")
    while true { pause() }
  }

  /// Says how long an access takes that nobody disputes: `measure ROOT COUNT`.
  func measure() throws {
    let (count, coordinator) = (Int(rest[0])!, coordinator())
    let time = try ContinuousClock().measure {
      for _ in 0..<count { try coordinator.coordinate(writingItemAt: url("a")) { _ in } }
    }
    Self.report("\(time / count)")
  }

  /// Writes the root until somebody ends the process.
  func hold() throws {
    try coordinator().coordinate(writingItemAt: url("")) { _ in
      Self.report("held")
      while true { pause() }
    }
  }

  /// Writes one item and, when told, another meanwhile: `chain ROOT FIRST SECOND`.
  func chain() throws {
    do {
      try coordinator().coordinate(writingItemAt: url(rest[0])) { _ in
        Self.report("held")
        _ = readLine()
        try coordinator().coordinate(writingItemAt: url(rest[1])) { _ in Self.report("both") }
      }
    } catch let error as CoordinationError {
      Self.report("\(error.code.rawValue): \(error.message)")
    }
    while true { pause() }
  }

  /// Shows the root, and reports what it is told. With `silent` it never answers.
  func present() throws {
    let presenter = ReportingPresenter(url: url(""), isSilent: rest.first == "silent")
    try FileCoordinator.add(presenter, to: domain)
    Self.report("added")
    while true { pause() }
  }

  /// Writes in one call, so that a line is printed completely or not at all.
  static func report(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    precondition(write(STDOUT_FILENO, bytes, bytes.count) == bytes.count)
  }
}

/// A generator that makes the same choices for the same seed.
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
