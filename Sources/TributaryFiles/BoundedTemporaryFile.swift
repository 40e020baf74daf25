/// A file under a temporary name that is written on the thread of an executor.
///
/// Bytes are collected, since each hand-over costs as much as writing several thousand of them. A
/// write may therefore fail only when the file is published.
final class BoundedTemporaryFile: TemporaryFile {
  /// The unchecked Sendable conformance is safe: only the one running operation touches it.
  final class Base: @unchecked Sendable {
    let file: any TemporaryFile

    init(_ file: any TemporaryFile) { self.file = file }

    fileprivate func write(_ bytes: [UInt8]) throws(FileError) {
      if bytes.isEmpty { return }
      try bytes.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try file.write(bytes) }
    }
  }

  private let base: Base
  private let directory: String
  private let executor: BoundedExecutor
  private var gathered: [UInt8] = []
  private var isFinished = false

  private static let gatheredByteCount = 1 << 18

  init(_ base: Base, directory: String, executor: BoundedExecutor) {
    self.base = base
    self.directory = directory
    self.executor = executor
  }

  deinit {
    discard()
    // The last reference must not be released here, where closing the file would wait.
    executor.post { [base] in withExtendedLifetime(base) {} }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    guard !isFinished else { throw .closed("write", directory) }
    gathered.append(contentsOf: bytes)
    if gathered.count < Self.gatheredByteCount { return }
    let whole = take()
    try executor.run("write", on: directory) { [base] () throws(FileError) in
      try base.write(whole)
    }
  }

  func publish(as name: String) throws(FileError) {
    guard !isFinished else { throw .closed("rename", directory) }
    isFinished = true
    let rest = take()
    try executor.run("rename", on: directory.appending(component: name)) {
      [base] () throws(FileError) in
      do throws(FileError) {
        try base.write(rest)
      } catch {
        base.file.discard()
        throw error
      }
      try base.file.publish(as: name)
    }
  }

  func discard() {
    guard !isFinished else { return }
    isFinished = true
    gathered.removeAll()
    // What cannot be removed now is removed on release, or found later by its name.
    try? executor.run("unlink", on: directory) { [base] () throws(FileError) in
      base.file.discard()
    }
  }

  private func take() -> [UInt8] {
    defer { gathered = [] }
    return gathered
  }
}
