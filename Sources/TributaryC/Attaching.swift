// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTributary

@c @implementation
public func tributary_attach(
  _ path: UnsafePointer<CChar>?, _ options: tributary_options?,
  _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  report?.pointee = nil
  return Call.run(error) {
    let result = try Operations.attach(
      CallText.read(path, "path"), CallText.readAll(options, "options"))
    report?.pointee = CallText.copy(result.json)
    return result.outcome
  }
}

@c @implementation
public func tributary_detach(
  _ path: UnsafePointer<CChar>?, _ options: tributary_options?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  Call.run(
    error,
    doing: {
      try Operations.detach(CallText.read(path, "path"), CallText.readAll(options, "options"))
    })
}
