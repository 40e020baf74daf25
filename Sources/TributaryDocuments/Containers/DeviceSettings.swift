internal import FoundationEssentials
internal import TributaryFiles

/// What a device remembers about its containers, in one small file that only this device has.
struct DeviceSettings: Codable, Equatable {
  /// A directory of containers.
  struct Root: Codable, Equatable {
    var path: String
    var token: IdentityToken
  }

  /// A container in such a directory.
  struct Entry: Codable, Equatable {
    var root: String
    var identifier: ContainerIdentifier
    var isEnabled = true
    /// Whether the container was there once. If so, it is not recreated when it is absent.
    var wasUsed = false
    /// The applications for which it is individually disabled.
    var disabledApplications: [String]?
    /// How many levels of directories may be above a document, if an application has said so.
    var folderLevels: PublicContainer.FolderLevels?
  }

  var roots: [Root] = []
  var containers: [Entry] = []

  func entry(_ identifier: ContainerIdentifier, in root: String) -> Entry? {
    containers.first { $0.identifier == identifier && $0.root == root }
  }

  mutating func change(
    _ identifier: ContainerIdentifier, in root: String, _ body: (inout Entry) -> Void
  ) {
    let index =
      containers.firstIndex { $0.identifier == identifier && $0.root == root }
      ?? {
        containers.append(Entry(root: root, identifier: identifier))
        return containers.count - 1
      }()
    body(&containers[index])
  }
}

/// The file of a device's settings.
struct DeviceSettingsFile {
  let directory: String
  let files: any FileSystem

  static let name = "containers.json"
  private static let limit = 4 << 20
  /// Programs hold the lock while they read and write one small file.
  private static let lockLimit = Duration.seconds(10)

  var path: String { directory.appending(component: Self.name) }

  /// Returns the settings; initial ones if there is no file.
  func read() throws(DocumentError) -> DeviceSettings {
    do {
      let bytes = try files.read(path, limit: Self.limit)
      return try JSONDecoder().decode(DeviceSettings.self, from: Data(bytes))
    } catch let error as FileError {
      if error.isMissing { return DeviceSettings() }
      throw DocumentError(error)
    } catch {
      throw DocumentError(
        .damaged, "the settings of this device cannot be read: \(error)", path: path,
        remedy: "remove the file; then all containers are enabled", underlying: error)
    }
  }

  /// Changes the settings while other processes wait.
  func change<Result>(
    _ body: (inout DeviceSettings) throws(DocumentError) -> Result
  ) throws(DocumentError) -> Result {
    do {
      try files.makeDirectories(directory)
    } catch {
      throw DocumentError(error)
    }
    let lock: FileLock?
    do {
      lock = try FileLock.makeAndTake(path + "-lock", within: Self.lockLimit)
    } catch {
      throw DocumentError(error)
    }
    guard let lock else {
      throw DocumentError(
        .inaccessible, "another process has locked the settings of this device", path: path,
        remedy: "stop that process, then try again")
    }
    let result: Result
    do throws(DocumentError) {
      result = try changeAlone(body)
    } catch {
      lock.removeAndRelease()
      throw error
    }
    lock.removeAndRelease()
    return result
  }

  private func changeAlone<Result>(
    _ body: (inout DeviceSettings) throws(DocumentError) -> Result
  ) throws(DocumentError) -> Result {
    let before = try read()
    var settings = before
    let result = try body(&settings)
    if settings == before { return result }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      try files.replaceDurably(path, with: Array(encoder.encode(settings)))
    } catch let error as FileError {
      throw DocumentError(error)
    } catch {
      throw DocumentError(
        .damaged, "the settings of this device cannot be written: \(error)", path: path,
        remedy: "remove the file; then all containers are enabled", underlying: error)
    }
    return result
  }
}
