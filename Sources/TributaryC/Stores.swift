// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTributary

@c @implementation
public func tributary_open(
  _ path: UnsafePointer<CChar>?, _ options: tributary_options?,
  _ store: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  store?.pointee = nil
  return Call.run(
    error,
    doing: {
      guard let store else {
        throw CallError(
          "the argument store is NULL", remedy: "pass the address of a pointer to a store")
      }
      store.pointee = StoreHandles.add(
        try Operations.open(CallText.read(path, "path"), CallText.readAll(options, "options")))
    })
}

@c @implementation
public func tributary_close(_ store: OpaquePointer?) -> CInt {
  guard let store else { return TRIBUTARY_OK }
  return Call.run(nil, doing: { try StoreHandles.remove(store).close() })
}

@c @implementation
public func tributary_sync(
  _ store: OpaquePointer?, _ options: tributary_options?,
  _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  report?.pointee = nil
  return Call.run(error) {
    let result = try Operations.synchronize(
      StoreHandles.store(store), CallText.readAll(options, "options"))
    report?.pointee = CallText.copy(result.json)
    return result.outcome
  }
}

@c @implementation
public func tributary_status(
  _ store: OpaquePointer?, _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(error, report, "report", returning: { try StoreHandles.store(store).status().json })
}

@c @implementation
public func tributary_digest(
  _ store: OpaquePointer?, _ digest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(error, digest, "digest", returning: { try StoreHandles.store(store).digest() })
}

@c @implementation
public func tributary_conflicts(
  _ store: OpaquePointer?, _ options: tributary_options?,
  _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(
    error, report, "report",
    returning: {
      try Operations.conflicts(StoreHandles.store(store), CallText.readAll(options, "options"))
    })
}

@c @implementation
public func tributary_resolve(
  _ store: OpaquePointer?, _ conflict: UnsafePointer<CChar>?,
  _ resolution: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(
    error,
    doing: {
      try Operations.resolve(
        StoreHandles.store(store), CallText.read(conflict, "conflict"),
        CallText.read(resolution, "resolution"))
    })
}
