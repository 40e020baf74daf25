internal import Glibc
internal import TributaryFiles

/// Where this device keeps containers and the data that belongs to the device alone.
public struct DataPlaces: Hashable, Sendable {
  /// The directory that contains the containers. A sync engine carries it, or single containers in it,
  /// between devices.
  public var containers: String
  /// The directory for the stores of documents and for settings of this device. It must be outside all
  /// containers.
  public var data: String
  /// The directory in which public containers appear under their names.
  public var drive: String

  /// Makes places; `drive` is a directory in `data` unless given.
  public init(containers: String, data: String, drive: String? = nil) {
    self.containers = containers
    self.data = data
    self.drive = drive ?? data.appending(component: "Drive")
  }

  /// Returns the places that the environment names: `TRIBUTARY_CONTAINERS`, `TRIBUTARY_DATA` and
  /// `TRIBUTARY_DRIVE`, otherwise directories in the XDG data directory, `~/.local/share` by default.
  ///
  /// - Throws: `DocumentError` with `noPlace` if neither names a directory.
  public static func ofUser() throws(DocumentError) -> DataPlaces {
    DataPlaces(
      containers: try place("TRIBUTARY_CONTAINERS", "containers"),
      data: try place("TRIBUTARY_DATA", "data"), drive: try absolute("TRIBUTARY_DRIVE"))
  }

  private static func place(
    _ variable: String, _ name: String
  ) throws(DocumentError) -> String {
    if let path = try absolute(variable) { return path }
    if let shared = value("XDG_DATA_HOME"), shared.utf8.first == UInt8(ascii: "/") {
      return shared.appending(component: "tributary").appending(component: name)
    }
    guard let home = value("HOME"), home.utf8.first == UInt8(ascii: "/") else {
      throw DocumentError(
        .noPlace, "there is no home directory, and \(variable) is not set",
        remedy: "set \(variable) to a directory")
    }
    return [".local", "share", "tributary", name].reduce(home) { $0.appending(component: $1) }
  }

  /// Returns the value of a variable as an absolute path.
  private static func absolute(_ variable: String) throws(DocumentError) -> String? {
    guard let path = value(variable) else { return nil }
    return try AbsolutePath.of(path)
  }

  private static func value(_ name: String) -> String? {
    guard let text = getenv(name), text.pointee != 0 else { return nil }
    return String(cString: text)
  }
}
