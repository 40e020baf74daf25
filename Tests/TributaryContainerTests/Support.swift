import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryTesting

let alice = PeerIdentity(high: 0xa11c_e000_0000_0001, low: 0x0123_4567_89ab_cdef)
let bob = PeerIdentity(high: 0xb0b0_0000_0000_0002, low: 0xfedc_ba98_7654_3210)

extension Scratch {
  /// A content directory with a space and more than ASCII in its name.
  func contentDirectory(_ name: String = "Bücher und 音楽") throws -> ContentDirectory {
    ContentDirectory(container: self["container"], name: try ContentName(name))
  }
}

/// Whether an error is one of the container's with this code, and complete.
func has(_ code: ContainerError.Code, _ error: any Error) -> Bool {
  guard let error = error as? ContainerError else { return false }
  return error.code == code && !error.message.isEmpty && !error.remedy.isEmpty
    && error.description.contains(error.remedy)
}

/// Seeded, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
