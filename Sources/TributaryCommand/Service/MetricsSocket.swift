import Glibc
import TributaryFiles

/// Sends a text to each client that connects to a socket, as an HTTP response if the client uses HTTP.
final class MetricsSocket: Sendable {
  private let path: String
  private let listener: Int32
  private let thread: WorkerThread
  /// The socket that was bound; `nil` if it has an abstract name.
  private let identity: FileIdentity?

  /// The longest time that one client may take, in milliseconds, since the others wait.
  private static let patience: Int32 = 2000

  /// Starts listening.
  ///
  /// - Throws: `FileError` if the path cannot be used; an error that names the remedy if another process listens there,
  ///   or something else is there.
  init(_ path: String, text: @escaping @Sendable () -> String) throws {
    self.path = path
    let address = try UnixAddress(path)
    try Self.removeRemains(path, address)
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let listener = try systemCall("socket", on: path) { socket(AF_UNIX, kind, 0) }
    self.listener = listener
    do {
      try Self.bind(listener, to: address, path)
      identity = Self.socketIdentity(path)
      // The permissions of the directory decide who may connect, not the umask of this process.
      if identity != nil { try systemCall("chmod", on: path) { chmod(path, 0o666) } }
      try systemCall("listen", on: path) { listen(listener, 16) }
      thread = try WorkerThread(name: "metrics") {
        while true {
          let connection = Self.accept(listener)
          if connection >= 0 {
            Self.answer(connection, text)
            close(connection)
          } else if errno == EINVAL {
            // The socket was shut down.
            return
          } else if ![EINTR, ECONNABORTED].contains(errno) {
            // Usually there are too many open files, and others may close some.
            usleep(100_000)
          }
        }
      }
    } catch {
      close(listener)
      throw error
    }
  }

  /// Checks whether there may be a socket at a path. Changes nothing.
  ///
  /// - Throws: `FileError` if the path is too long; an error that names the remedy if something else is there.
  static func check(_ path: String) throws {
    _ = try UnixAddress(path)
    var status = stat()
    let isThere = !path.hasPrefix("@") && lstat(path, &status) == 0
    if isThere, socketIdentity(path) == nil { throw refusal(path) }
  }

  /// Stops listening, and removes the socket.
  func finish() {
    shutdown(listener, Int32(SHUT_RDWR))
    thread.join()
    close(listener)
    // Another process may have taken over the path.
    if let identity, Self.socketIdentity(path) == identity { unlink(path) }
  }

  /// Returns the identity of the socket at a path; `nil` if there is none.
  private static func socketIdentity(_ path: String) -> FileIdentity? {
    var status = stat()
    guard !path.hasPrefix("@"), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK
    else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  private static func bind(_ listener: Int32, to address: UnixAddress, _ path: String) throws {
    do throws(FileError) {
      try systemCall("bind", on: path) { address.withAddress { Glibc.bind(listener, $0, $1) } }
    } catch {
      if error.code == EADDRINUSE { throw refusal(path) }
      throw error
    }
  }

  private static func refusal(_ path: String) -> TextError {
    let isTaken = path.hasPrefix("@") || socketIdentity(path) != nil
    return TextError(
      isTaken
        ? "another process listens at \(path); end it, or name another path"
        : "\(path) is not a socket; remove it, or name another path")
  }

  /// Removes a socket that a killed process has left behind.
  private static func removeRemains(_ path: String, _ address: UnixAddress) throws(FileError) {
    guard socketIdentity(path) != nil else { return }
    let probe = try systemCall("socket", on: path) {
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
    defer { close(probe) }
    if address.withAddress({ connect(probe, $0, $1) }) == -1, errno == ECONNREFUSED { unlink(path) }
  }

  /// Waits for a connection.
  ///
  /// - Returns: -1, with `errno`, if there is none.
  private static func accept(_ listener: Int32) -> Int32 {
    var place = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&place, 1, -1) == 1 else { return -1 }
    return ImportCommand.whileNoneStarts {
      let connection = Glibc.accept(listener, nil, nil)
      if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
      return connection
    }
  }

  private static func answer(_ connection: Int32, _ text: () -> String) {
    let request = request(connection)
    let isHead = request.starts(with: Array("HEAD ".utf8))
    let isHTTP = isHead || request.starts(with: Array("GET ".utf8))
    let body = text()
    let head =
      "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
      + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
    send((isHTTP ? head : "") + (isHead ? "" : body), to: connection)
  }

  /// Reads until the request ends, the input ends, or the time is over.
  private static func request(_ connection: Int32) -> [UInt8] {
    var request: [UInt8] = []
    let end = ContinuousClock.now + .milliseconds(Int(patience))
    while request.count < 8192 {
      let left = Int32(clamping: Int((end - .now) / .milliseconds(1)))
      var place = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&place, 1, left) > 0 else { break }
      var part = [UInt8](repeating: 0, count: 2048)
      let count = recv(connection, &part, part.count, 0)
      guard count > 0 else { break }
      request += part[..<count]
      if request.suffix(4) == Array("\r\n\r\n".utf8)[...] { break }
    }
    return request
  }

  private static func send(_ text: String, to connection: Int32) {
    var limit = timeval(tv_sec: Int(patience / 1000), tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var text = text
    text.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let sent = Glibc.send(
          connection, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count,
          Int32(MSG_NOSIGNAL))
        // A client that does not read, or has gone, gets no answer.
        guard sent > 0 || sent == -1 && errno == EINTR else { return }
        rest = rest.dropFirst(max(0, sent))
      }
    }
  }
}
