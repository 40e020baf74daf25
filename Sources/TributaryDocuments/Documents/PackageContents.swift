internal import TributaryFiles
internal import TributarySQLite

/// The files and directories of a package other than its metadata, as they were at one moment.
struct PackageContents {
  private struct Item: Hashable {
    /// Relative to the package.
    let path: String
    let isDirectory: Bool
  }

  private let package: String
  /// Each directory comes before its contents.
  private var items: [Item] = []

  /// Reads the contents of a package. Only unfinished files of Tributary are left out.
  ///
  /// - Throws: `DocumentError` with `wouldLose` for the first thing that cannot be copied.
  init(of package: String, using files: some FileSystem) throws {
    self.package = package
    try add(directory: "", files)
  }

  private mutating func add(directory: String, _ files: some FileSystem) throws {
    let whole = directory.isEmpty ? package : package.appending(component: directory)
    for entry in try files.list(whole).sorted(by: { $0.name < $1.name }) {
      if directory.isEmpty, entry.name == DocumentMetadata.fileName { continue }
      let path = whole.appending(component: entry.name)
      guard entry.isExact else {
        throw Self.refusal(
          path, "its name is not in UTF-8, so no other device has it", "give it another name")
      }
      if TemporaryName.matches(entry.name) { continue }
      let relative = directory.appending(component: entry.name)
      switch try files.kind(of: entry, at: path) {
      case .file: items.append(Item(path: relative, isDirectory: false))
      case .directory:
        items.append(Item(path: relative, isDirectory: true))
        try add(directory: relative, files)
      case .symbolicLink:
        throw Self.refusal(
          path, "it is a symbolic link, which no carrier keeps",
          "replace it by the file itself, or remove it")
      case .other, .unknown:
        throw Self.refusal(
          path, "it is a pipe, a socket or a device, which no carrier keeps", "remove it")
      }
    }
  }

  private static func refusal(_ path: String, _ message: String, _ remedy: String) -> DocumentError
  {
    DocumentError(.wouldLose, message, path: path, remedy: remedy)
  }

  /// Returns the items that are not in an earlier value.
  func subtracting(_ earlier: PackageContents) -> PackageContents {
    var rest = self
    let known = Set(earlier.items)
    rest.items.removeAll { known.contains($0) }
    return rest
  }

  /// Copies all of it into another package.
  ///
  /// - Parameter cancellation: cancels copying; `nil` if it cannot be cancelled.
  func copy(
    to target: String, using files: some FileSystem, heeding cancellation: Cancellation?
  ) throws {
    for item in items {
      try cancellation?.check()
      let path = target.appending(component: item.path)
      if item.isDirectory {
        try files.makeDirectory(path)
      } else {
        try files.copyFile(package.appending(component: item.path), into: path.parentDirectory)
      }
    }
  }
}
