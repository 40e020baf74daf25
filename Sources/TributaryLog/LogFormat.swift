/// The constants of the format; `Schemas/log-format.md` is normative.
package enum LogFormat {
  /// Frame 1, an LZ4 skippable frame with the header.
  static let headerFrameMagic: UInt32 = 0x184D_2A50
  /// Frame 2, a standard LZ4 frame with the payload.
  static let payloadFrameMagic: UInt32 = 0x184D_2204
  /// Frame 3, an LZ4 skippable frame with the trailer.
  static let trailerFrameMagic: UInt32 = 0x184D_2A51
  /// The magic and the content size of a skippable frame.
  static let skippableHeadByteCount = 8

  /// The frame descriptor flags of frame 2: version 1, linked blocks, block and content checksums.
  static let payloadFrameFlags: UInt8 = 0x54
  /// The block descriptor of frame 2: at most 256 KiB per block.
  static let payloadBlockDescriptor: UInt8 = 0x50
  static let blockByteCount = 256 << 10

  /// The first bytes of the header: "TRIBLOG" and a zero.
  static let magic: [UInt8] = [0x54, 0x52, 0x49, 0x42, 0x4C, 0x4F, 0x47, 0x00]

  /// The index has one entry for the first transaction in each stretch of payload of this size.
  static let indexStride: UInt64 = 256 << 10

  /// The largest number of UTF-8 bytes of any name.
  package static let maximumNameByteCount = 4096
  static let maximumColumnCount = 32767
  /// The largest number of entries of one version vector.
  static let maximumKnowledgeCount = 65536
}

/// The code byte that each item of the payload begins with.
enum ItemCode {
  static let schema: UInt8 = 0x01
  static let shape: UInt8 = 0x02
  static let transaction: UInt8 = 0x03
  static let insert: UInt8 = 0x04
  static let update: UInt8 = 0x05
  static let delete: UInt8 = 0x06
  static let end: UInt8 = 0x07
  static let replace: UInt8 = 0x08
}
