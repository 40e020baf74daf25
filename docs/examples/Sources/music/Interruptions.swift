@preconcurrency import Dispatch
import Foundation

/// The signals by which a user, or systemd, ends a service.
enum Interruptions {
  /// Returns the signals from now on. They end the process no more.
  static func here() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    continuation.onTermination = { _ in for source in sources { source.cancel() } }
    return stream
  }
}
