import Glibc
import TributaryCoordination

// Uses items as a process of its own, until it is killed: `tributary-contender RUNTIME MODE ROOT [ARGUMENT…]`.

func complain(_ text: String) {
  let bytes = Array("tributary-contender: \(text)\n".utf8)
  // There is nowhere left to report that this failed.
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3 else {
  complain("needs RUNTIME MODE ROOT [ARGUMENT…]")
  exit(2)
}
let contender = Contender(
  domain: CoordinationDomain(directory: arguments[0]), root: arguments[2],
  rest: Array(arguments.dropFirst(3)))

do {
  switch arguments[1] {
  case "contend": try contender.contend()
  case "read": try contender.read()
  case "measure": try contender.measure()
  case "query": try await contender.query()
  case "hold": try contender.hold()
  case "chain": try contender.chain()
  case "present": try contender.present()
  default:
    complain("knows no mode \(arguments[1])")
    exit(2)
  }
} catch {
  complain("\(error)")
  exit(1)
}
