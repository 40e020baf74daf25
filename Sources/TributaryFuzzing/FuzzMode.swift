/// How the bytes after the first one of an input are interpreted.
///
/// The numbers never change, because the corpus contains them.
package enum FuzzMode: UInt8, CaseIterable, Sendable {
  /// A whole segment.
  case file = 0
  /// The items of a segment, preceded by its author and the numbers of its first transaction;
  /// frames, header and trailer are adapted, so that no checksum hides the decoder of items.
  case payload = 1
  /// The header of a segment, with a correct frame and correct checksums.
  case header = 2
  /// The trailer of a segment, with a correct frame, and a correct checksum if the first bit says
  /// so.
  case trailer = 3
  /// Changes as a database stores them.
  case changes = 4
  /// A `peer.json`.
  case manifest = 5
  /// A name in a directory.
  case name = 6
  /// A whole baseline. SQLite reads the contents of its database.
  case baseline = 7

  /// Chooses by the low three bits.
  package init(choosing byte: UInt8) { self = FuzzMode(rawValue: byte & 7) ?? .file }

  /// The folder of the corpus for this mode.
  package var folder: String { "\(self)" }
}
