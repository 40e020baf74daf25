internal import Glibc
internal import TributaryFiles

extension Entitlements {
  /// Returns the entitlements of this application, from the file that `TRIBUTARY_ENTITLEMENTS` names, or else
  /// from the file beside the executable with its name and the suffix `.entitlements`.
  ///
  /// - Returns: `nil` if there is no such file. Then nothing restricts the application.
  /// - Throws: `DocumentError` if the file breaks a rule, or the variable does not name a file.
  public static func ofApplication() throws(DocumentError) -> Entitlements? {
    if let text = getenv("TRIBUTARY_ENTITLEMENTS"), text.pointee != 0 {
      return try Entitlements(contentsOf: String(cString: text))
    }
    let files = LocalFileSystem()
    do {
      guard let executable = try files.resolve("/proc/self/exe") else { return nil }
      let path = executable + ".entitlements"
      guard try files.status(path)?.kind == .file else { return nil }
      return try Entitlements(contentsOf: path)
    } catch let error as FileError {
      throw DocumentError(error)
    } catch let error as DocumentError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
