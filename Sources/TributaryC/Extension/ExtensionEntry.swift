// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CSQLite
import CTributary

/// Tells SQLite that the library must stay loaded: its threads may outlive the connection.
private let staysLoaded: CInt = SQLITE_OK | (1 << 8)

@c @implementation
public func sqlite3_tributary_init(
  _ connection: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ host: UnsafePointer<sqlite3_api_routines>?
) -> CInt {
  func fail(_ text: String) -> CInt {
    // The host releases it.
    let bytes = text.utf8CString
    if let copy = host?.pointee.malloc?(CInt(bytes.count)) {
      bytes.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      message?.pointee = copy.assumingMemoryBound(to: CChar.self)
    }
    return SQLITE_ERROR
  }
  guard let connection, let host else { return SQLITE_MISUSE }
  // Two copies in one process would release each other's locks on a file.
  guard host.pointee.libversion?() == sqlite3_libversion() else {
    return fail(
      "this program has a copy of SQLite of its own, and two copies in one process release each other's locks; "
        + "use a program that is linked with libsqlite3.so.0, or the command `tributary`")
  }
  do {
    try SQLFunctions.register(on: connection)
    return staysLoaded
  } catch {
    return fail("\(error)")
  }
}
