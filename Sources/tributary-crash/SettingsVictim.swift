import TributaryKeyValue
import TributarySync

/// A device that sets and removes the values of a key-value store until it is killed.
///
/// It says what it is about to set (`s KEY VALUE`) or to remove (`r KEY`), each time before it does, and when all that
/// it said before is in the file (`f`). It alone sets keys that begin with its name; `shared` is set by all.
struct SettingsVictim {
  let place: KeyValuePlace
  let device: String
  let seed: UInt64

  static let identifier = "com.example.crash"

  func run() throws {
    var random = SeededRandom(state: seed)
    // Otherwise, each set is in the file when it returns.
    let isFlushedLater = Bool.random(using: &random)
    let isAttached: Bool
    if try place.isAttached() {
      isAttached = true
    } else {
      isAttached = Bool.random(using: &random)
      if isAttached { _ = try place.attach() }
    }
    let flushLater: @Sendable (Duration) -> Void = { _ in }
    let engine = try KeyValueEngine(
      place, isAttached: isAttached, interval: .seconds(3600),
      flushLater: isFlushedLater ? flushLater : nil)
    var session: SyncSession?
    while true {
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        try engine.join()
        let present = session ?? SyncSession(store: engine.store!, environment: place.environment)
        session = present
        if let failure = try present.synchronize(didImport: engine.note).failure { throw failure }
      case 1, 2:
        try engine.flush()
        report("f")
      default:
        try change(engine, &random)
        if !isFlushedLater { report("f") }
      }
    }
  }

  private func change(_ engine: KeyValueEngine, _ random: inout SeededRandom) throws {
    let value = String(UInt64.random(in: 0 ... .max, using: &random))
    let number = Int.random(in: 0..<4, using: &random)
    if number == 3 { return try engine.set(.string(value), for: "shared") }
    let key = "\(device)-\(number)"
    if Int.random(in: 0..<5, using: &random) == 0 {
      report("r \(key)")
      try engine.remove(key)
    } else {
      report("s \(key) \(value)")
      try engine.set(.string(value), for: key)
    }
  }
}
