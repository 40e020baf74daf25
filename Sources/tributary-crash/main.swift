import Glibc
import TributarySync

// Attaches, writes, publishes and imports until it is killed, and says after each commit what it
// wrote: `tributary-crash STORE CONTAINER DEVICE SEED`.

func complain(_ text: String) {
  let bytes = Array("tributary-crash: \(text)\n".utf8)
  // There is nowhere left to report that this failed.
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

let arguments = CommandLine.arguments
guard arguments.count == 5, let seed = UInt64(arguments[4]) else {
  complain("needs STORE CONTAINER DEVICE SEED")
  exit(2)
}

do {
  try Victim(
    store: arguments[1], container: arguments[2], device: arguments[3], seed: seed
  ).run()
} catch {
  complain("device \(arguments[3]): \(error)")
  exit(1)
}
