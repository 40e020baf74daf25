import Glibc
import TributaryFiles

/// Sends the service manager the status of the service, if it has asked for it.
///
/// The protocol is designed to be implemented without systemd's library, which would take longer to load than
/// most commands take to run. Source: *sd_notify(3)*
struct ServiceManager: Sendable {
  /// The socket address; `nil` if no manager has asked.
  private let address: String?
  /// How often the service must tell the manager that it is alive; `nil` if the manager does not ask for
  /// this.
  let watchdogPeriod: Duration?

  /// Reads the environment of this process.
  ///
  /// - Parameter variable: returns the value of a variable.
  init(
    process: Int32 = getpid(),
    variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) {
    let address = variable("NOTIFY_SOCKET") ?? ""
    // Other kinds, such as those of virtual machines, have other prefixes.
    self.address = address.hasPrefix("/") || address.hasPrefix("@") ? address : nil
    let isMeant = variable("WATCHDOG_PID").map { Int32($0) == process } ?? true
    if isMeant, let limit = variable("WATCHDOG_USEC").flatMap(Int64.init), limit > 0 {
      // Half of the limit, as the documentation advises, so that one late message does no harm.
      watchdogPeriod = .microseconds(limit) / 2
    } else {
      watchdogPeriod = nil
    }
  }

  func isReady(_ status: String) { send("READY=1\nSTATUS=\(status)") }

  func isReloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    send("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
  }

  func isStopping(_ status: String) { send("STOPPING=1\nSTATUS=\(status)") }

  func isAlive() { send("WATCHDOG=1", waits: false) }

  func say(_ status: String) { send("STATUS=\(status)", waits: false) }

  /// - Parameter waits: whether to wait a second for a manager that is slow to read. This is not worthwhile
  ///   for messages that are soon repeated.
  private func send(_ text: String, waits: Bool = true) {
    // The manager takes no action against a service that it does not hear.
    guard let address, let target = try? UnixAddress(address) else { return }
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(
      socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
    let bytes = Array(text.utf8)
    target.withAddress { address, length in
      var result = 0
      repeat {
        result = sendto(socket, bytes, bytes.count, flags, address, length)
      } while result == -1 && errno == EINTR
    }
  }
}
