import Foundation

/// Executables that were built beside the tests.
package enum BuiltExecutable {
  /// Returns the path of an executable.
  ///
  /// - Throws: an error if there is none with that name.
  package static func path(_ name: String) throws -> String {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(filePath: tests).deletingLastPathComponent().appending(path: name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: path])
    }
    return path
  }
}
