// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTributary

@c @implementation
public func tributary_on_import(
  _ store: OpaquePointer?, _ callback: tributary_import_callback?,
  _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(error, doing: { try StoreHandles.store(store).gate.setImports(callback, context) })
}

@c @implementation
public func tributary_on_problem(
  _ store: OpaquePointer?, _ callback: tributary_problem_callback?,
  _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(error, doing: { try StoreHandles.store(store).gate.setProblems(callback, context) })
}

@c @implementation
public func tributary_start(
  _ store: OpaquePointer?, _ options: tributary_options?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(
    error,
    doing: {
      try Operations.start(StoreHandles.store(store), CallText.readAll(options, "options"))
    })
}

@c @implementation
public func tributary_stop(
  _ store: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(error, doing: { try StoreHandles.store(store).stop() })
}
