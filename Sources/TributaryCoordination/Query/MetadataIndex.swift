package import TributaryFiles

/// The items below some directories that match a predicate, and the changes among them. Used by one thread.
package final class MetadataIndex {
  let predicate: MetadataPredicate
  let roots: [SearchRoot]
  let watcher: Watcher?
  let files = LocalFileSystem()
  var directories = ExactDictionary<DirectoryRecord>()
  var places: [WatchToken: String] = [:]
  private(set) var update = MetadataUpdate()
  private var failures: [CoordinationError] = []
  /// The directories that cannot be read, which are reported once.
  private var unreadable: Set<ExactText> = []
  /// The directories below which the system does not report changes.
  var unwatched: Set<ExactText> = []

  private var identities = ExactDictionary<FileIdentity>()

  static let changes: WatchKind = [.created, .renamedInto, .renamedAway, .removed, .written]

  package init(_ predicate: MetadataPredicate, _ roots: [SearchRoot], watcher: Watcher?) {
    self.predicate = predicate
    self.roots = roots
    self.watcher = watcher
  }

  /// Returns what has changed since the last time.
  package func takeUpdate() -> MetadataUpdate {
    defer { update = MetadataUpdate() }
    return update
  }

  func takeFailures() -> [CoordinationError] {
    defer { failures = [] }
    return failures
  }

  /// Whether something must be checked from time to time.
  var needsPolling: Bool { !unwatched.isEmpty }

  /// The roots that do not exist.
  var missingRoots: [SearchRoot] { roots.filter { directories[$0.path] == nil } }

  /// Compares everything with the file system.
  package func reconcile() {
    for root in roots { reconcileRoot(root) }
  }

  func reconcileRoot(_ root: SearchRoot) {
    let status: FileStatus?
    do {
      status = try files.status(root.path)
    } catch {
      return fail(root.path, error)
    }
    guard let status, status.kind == .directory else { return drop(root.path) }
    identities[root.path] = status.identity
    scan(root.path)
  }

  /// Checks whether the roots are still the same directories. The system does not report when something is
  /// mounted there.
  package func checkRoots() {
    for root in roots {
      // A root that cannot be examined counts as missing, and is checked again later.
      let status = try? files.status(root.path)
      if status?.kind != .directory || status?.identity != identities[root.path] {
        reconcileRoot(root)
      }
    }
  }

  func isRoot(_ path: String) -> Bool { roots.contains { ExactText($0.path) == ExactText(path) } }

  /// Whether a name in a directory may be an item.
  func isVisible(_ name: String, in directory: String) -> Bool {
    // Hidden files, and files that are not complete yet.
    if name.utf8.first == UInt8(ascii: ".") { return false }
    return !roots.contains { $0.excluded == name && ExactText($0.path) == ExactText(directory) }
  }

  /// Notes what is at a name now; `nil` for nothing.
  func note(_ name: String, in directory: String, _ item: MetadataItem?) {
    let match = item.flatMap { predicate.matches($0) ? $0 : nil }
    let old = directories[directory]?.matches[name]
    if old == match { return }
    directories[directory]?.matches[name] = match
    update.note(directory.appending(component: name), from: old, to: match)
  }

  /// Forgets a directory and everything below it.
  func drop(_ path: String) {
    guard let record = directories.removeValue(forKey: path) else { return }
    unwatch(record.token)
    unwatched.remove(ExactText(path))
    unreadable.remove(ExactText(path))
    for (name, item) in record.matches.pairs {
      update.note(path.appending(component: name), from: item, to: nil)
    }
    for child in record.children { drop(path.appending(component: child.text)) }
  }

  func unwatch(_ token: WatchToken?) {
    guard let token else { return }
    places[token] = nil
    watcher?.unwatch(token)
  }

  func fail(_ path: String, _ error: FileError) {
    // It is gone in the meantime, which an event reports, too.
    if error.isMissing { return }
    // The next scan of everything shows whether it is still there.
    unwatched.insert(ExactText(path))
    if unreadable.insert(ExactText(path)).inserted { failures.append(CoordinationError(error)) }
  }

  func succeed(_ path: String) { unreadable.remove(ExactText(path)) }
}
