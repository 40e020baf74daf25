import TributaryFiles

/// A file beside a store that has what the store does not show any more.
struct SetAsideCopy {
  let path: String
  private let fileSystem: any FileSystem

  /// Under a name that nobody has.
  ///
  /// - Parameter event: what is about to happen, as part of the name.
  init(of store: String, before event: String, _ fileSystem: any FileSystem) {
    self.fileSystem = fileSystem
    let base = "\(store)-before-\(event)"
    var path = base
    var number = 1
    // Where nothing can be asked nothing can be written either, and that says why.
    while (try? fileSystem.status(path)) ?? nil != nil {
      number += 1
      path = "\(base)-\(number)"
    }
    self.path = path
  }

  /// Takes it away again, where it was made.
  func remove() {
    // What cannot be removed is one more copy.
    try? fileSystem.remove(path)
  }
}
