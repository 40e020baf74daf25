// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CSQLite
import CTributary
import Glibc
import TributaryCommand

// MARK: The library

/// The version. It never changes, and lives as long as the process.
nonisolated(unsafe) private let version = CallText.copy(Version.text)

@c @implementation
public func tributary_version() -> UnsafePointer<CChar>! { UnsafePointer(version) }

@c @implementation
public func tributary_abi() -> CInt { TRIBUTARY_ABI }

@c @implementation
public func tributary_shares_sqlite(_ libversion: UnsafePointer<CChar>?) -> CInt {
  // Each copy of SQLite has its own text, even if the versions are the same.
  libversion == sqlite3_libversion() ? 1 : 0
}

@c @implementation
public func tributary_free(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

// MARK: Errors

@c @implementation
public func tributary_error_code(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
  text(error, \.code)
}

@c @implementation
public func tributary_error_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
  text(error, \.message)
}

@c @implementation
public func tributary_error_path(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
  text(error, \.path)
}

@c @implementation
public func tributary_error_remedy(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
  text(error, \.remedy)
}

@c @implementation
public func tributary_error_description(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
  text(error, \.description)
}

@c @implementation
public func tributary_error_free(_ error: OpaquePointer?) { error.map(ErrorObject.release) }

/// The text for no error. It never changes either.
nonisolated(unsafe) private let empty = CallText.copy("")

private func text(
  _ error: OpaquePointer?, _ part: KeyPath<ErrorObject, UnsafeMutablePointer<CChar>?>
) -> UnsafePointer<CChar>? {
  UnsafePointer(error.map { ErrorObject.of($0)[keyPath: part] } ?? empty)
}
