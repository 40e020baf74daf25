internal import Glibc

/// Decodes what one read of an inotify descriptor returned. The system guarantees whole events.
///
/// - Returns: the events, and whether the system reports that it dropped some.
package func decodeWatchEvents(_ bytes: UnsafeRawBufferPointer) -> (
  events: [WatchEvent], overflowed: Bool
) {
  let header = MemoryLayout<inotify_event>.size
  var events: [WatchEvent] = []
  var overflowed = false
  var rest = bytes[...]
  while rest.count >= header {
    let event = UnsafeRawBufferPointer(rebasing: rest)
    let watch = event.loadUnaligned(fromByteOffset: 0, as: Int32.self)
    let mask = event.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    let length = Int(event.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    guard length <= rest.count - header else { break }
    rest = rest.dropFirst(header + length)
    if mask & UInt32(bitPattern: Int32(IN_Q_OVERFLOW)) != 0 {
      overflowed = true
      continue
    }
    // Padded with NULs to a round length.
    let name = event[header..<header + length].prefix { $0 != 0 }
    events.append(
      WatchEvent(
        token: WatchToken(number: watch),
        name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self),
        kind: WatchKind(rawValue: mask & ~UInt32(bitPattern: Int32(IN_ISDIR)))))
  }
  return (events, overflowed)
}
