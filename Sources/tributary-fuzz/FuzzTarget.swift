import TributaryFuzzing

/// The entry point that libFuzzer, which provides `main`, calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(FuzzFailure) {
    try FuzzInput.run(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch { fatalError("\(error)") }
  return 0
}
