import TributaryFiles

/// A file beside a store with what the store no longer shows.
struct SetAsideCopy {
  let path: String
  private let fileSystem: any FileSystem

  /// Chooses an unused name.
  ///
  /// - Parameter event: the event that is about to happen, as part of the name.
  init(of store: String, before event: String, _ fileSystem: any FileSystem) {
    self.fileSystem = fileSystem
    let base = "\(store)-before-\(event)"
    var path = base
    var number = 1
    // If the status is unavailable, nothing can be written either, and the attempt reports why.
    while (try? fileSystem.status(path)) ?? nil != nil {
      number += 1
      path = "\(base)-\(number)"
    }
    self.path = path
  }

  /// Removes the file, if it was created.
  func remove() {
    // If it cannot be removed, there is merely one more copy.
    try? fileSystem.remove(path)
  }
}
