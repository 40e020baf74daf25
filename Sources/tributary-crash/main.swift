import Glibc
import TributaryDocuments
import TributaryKeyValue
import TributarySync

// Works until it is killed, and says what it has done: `tributary-crash STORE CONTAINER DEVICE SEED` writes into a
// store and changes its schema, `tributary-crash documents CONTAINERS DATA DEVICE SEED` works with documents,
// `tributary-crash settings STORE CONTAINER DEVICE SEED` sets the values of a key-value store. `tributary-crash rows STORE SQL` reads by itself, and says
// how much memory that takes.

func complain(_ text: String) {
  let bytes = Array("tributary-crash: \(text)\n".utf8)
  // There is nowhere left to report that this failed.
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

func run(_ device: String, _ body: () throws -> Void) -> Never {
  do {
    try body()
    exit(0)
  } catch {
    complain("device \(device): \(error)")
    exit(1)
  }
}

let arguments = CommandLine.arguments
if arguments.count == 6, arguments[1] == "documents", let seed = UInt64(arguments[5]) {
  let places = DataPlaces(containers: arguments[2], data: arguments[3])
  run(arguments[4]) {
    try DocumentVictim(places: places, device: arguments[4], seed: seed).run()
  }
}
if arguments.count == 4, arguments[1] == "rows" {
  run(arguments[2]) { try RowReading(store: arguments[2], sql: arguments[3]).run() }
}
if arguments.count == 6, arguments[1] == "settings", let seed = UInt64(arguments[5]) {
  let place = KeyValuePlace(
    path: arguments[2], container: arguments[3], identifier: SettingsVictim.identifier)
  run(arguments[4]) {
    try SettingsVictim(place: place, device: arguments[4], seed: seed).run()
  }
}
guard arguments.count == 5, let seed = UInt64(arguments[4]) else {
  complain(
    """
    needs STORE CONTAINER DEVICE SEED, or documents CONTAINERS DATA DEVICE SEED, or settings STORE CONTAINER DEVICE \
    SEED, or rows STORE SQL
    """)
  exit(2)
}
run(arguments[3]) {
  try Victim(
    store: arguments[1], container: arguments[2], device: arguments[3], seed: seed
  ).run()
}
