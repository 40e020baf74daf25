import TributaryFiles

/// The files beside a store that exist only while a baseline is written or read. Each may be as large as the
/// database. A process that is killed leaves them.
struct ScratchFiles {
  /// What the name of the store that is made for the baseline of a horizon adds to the name of the store. Copies of
  /// settled rows have a number after it.
  static let horizon = "-tributary-horizon"
  /// What the name of the image of a baseline adds to the name of the store.
  static let baseline = "-tributary-baseline"

  /// The files that a process uses only while it has the locks on writing a baseline and on attaching.
  private(set) var locked: [String] = []
  /// The files whose names only one process uses.
  private(set) var numbered: [String] = []

  private let store: String

  /// Finds the files of a store.
  ///
  /// - Throws: `FileError` if the directory of the store cannot be listed.
  init(of store: String) throws(FileError) {
    self.store = store
    let (directory, name) = (store.parentDirectory, store.lastPathComponent)
    for entry in try LocalFileSystem().list(directory) where entry.isExact && entry.kind == .file {
      guard entry.name.utf8.starts(with: name.utf8) else { continue }
      let path = directory.appending(component: entry.name)
      switch Self.use(of: Substring(entry.name.utf8.dropFirst(name.utf8.count))) {
      case .locked: locked.append(path)
      case .numbered: numbered.append(path)
      case nil: continue
      }
    }
    locked.sort()
    numbered.sort()
  }

  /// Numbered files that are an hour old. A process is using one only if it has taken a lock on it.
  var stale: [String] {
    numbered.filter { path in
      // A file that cannot be examined now is left to the next time.
      (try? LocalFileSystem().status(path)).flatMap { $0 }.map(LocalFile.isStale) ?? false
    }
  }

  /// Removes the files that no process uses.
  func remove() {
    for path in stale { LocalFile.removeUnused(path) }
    guard !locked.isEmpty, let attaching = StoreLock(ifFree: store, for: .attaching) else { return }
    defer { attaching.release() }
    guard let writing = StoreLock(ifFree: store, for: .baseline) else { return }
    defer { writing.release() }
    for path in locked { Self.remove(path) }
  }

  private static func remove(_ path: String) {
    // What cannot be removed takes room, and does no other harm: the next session tries again.
    try? LocalFileSystem().remove(path)
  }

  // MARK: Names

  private enum Use {
    case locked
    case numbered
  }

  /// Reads what a file's name adds to the name of the store.
  ///
  /// - Returns: `nil` for any other name, also one that a program has chosen.
  private static func use(of addition: Substring) -> Use? {
    guard var rest = addition.removing(horizon) ?? addition.removing(baseline) else { return nil }
    let isNumbered = rest.removingNumber() != nil
    while let next = rest.removing(horizon) ?? rest.removing(baseline)
      ?? rest.removing(Staging.suffix) ?? rest.removingNumber()
    {
      rest = next
    }
    guard rest.isEmpty || LocalFile.ends.contains(String(rest)) else { return nil }
    return isNumbered ? .numbered : .locked
  }
}

extension Substring {
  /// The rest after a beginning; `nil` if the text begins otherwise.
  fileprivate func removing(_ beginning: String) -> Substring? {
    utf8.starts(with: beginning.utf8) ? Substring(utf8.dropFirst(beginning.utf8.count)) : nil
  }

  /// The rest after a hyphen and a number in 16 hexadecimal digits.
  fileprivate func removingNumber() -> Substring? {
    guard let rest = removing("-") else { return nil }
    let digits = rest.utf8.prefix(16)
    let isNumber =
      digits.count == 16
      && digits.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
    return isNumber ? Substring(rest.utf8.dropFirst(16)) : nil
  }
}
