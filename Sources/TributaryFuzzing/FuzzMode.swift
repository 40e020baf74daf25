/// What the bytes after the first one of an input are taken for.
///
/// The numbers never change: the corpus has them.
package enum FuzzMode: UInt8, CaseIterable, Sendable {
  /// A whole segment.
  case file = 0
  /// The items of a segment, behind who wrote it and what its first transaction is; frames, header
  /// and trailer are made to fit, so that no checksum stands before the decoder of items.
  case payload = 1
  /// The header of a segment; its frame and all checksums are right.
  case header = 2
  /// The trailer of a segment; its frame is right, and its checksum if the first bit says so.
  case trailer = 3
  /// Changes as a database keeps them.
  case changes = 4
  /// A `peer.json`.
  case manifest = 5
  /// A name in a directory.
  case name = 6

  /// The low three bits choose; 7 stands for a whole segment too.
  package init(choosing byte: UInt8) { self = FuzzMode(rawValue: byte & 7) ?? .file }

  /// The folder of its corpus.
  package var folder: String { "\(self)" }
}
