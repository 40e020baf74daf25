import TributaryCore

/// The tables in a baseline, as its header names them.
enum BaselineTables {
  /// The largest number of names in a header.
  static let maximumCount = 65_536

  private static let only: UInt8 = 1
  private static let except: UInt8 = 2

  /// Appends the names; nothing if the baseline has all tables.
  static func append(_ tables: TableSelection, to buffer: inout ByteBuffer) {
    guard let (kind, names) = parts(tables) else { return }
    buffer.append(kind)
    buffer.append(littleEndian: UInt32(names.count))
    for name in names {
      buffer.append(littleEndian: UInt16(name.utf8.count))
      buffer.append(contentsOf: name.utf8)
    }
  }

  /// Reads the names.
  static func read(_ cursor: inout ByteCursor) throws(LogError) -> TableSelection {
    let kind = try cursor.byte()
    let count = try cursor.littleEndian(UInt32.self)
    guard count <= maximumCount else {
      throw cursor.failure(.limitExceeded, "a baseline that names \(count) tables")
    }
    var names: [String] = []
    for _ in 0..<count {
      let size = Int(try cursor.littleEndian(UInt16.self))
      names.append(try cursor.text(byteCount: size))
    }
    switch kind {
    case only: return .only(names)
    case except: return .except(names)
    default: throw cursor.failure(.malformed, "\(kind) does not say which tables there are")
    }
  }

  /// Checks what must be true of the names in every file.
  static func check(_ tables: TableSelection) throws(LogError) {
    guard let (_, names) = parts(tables) else { return }
    guard names.count <= maximumCount else {
      throw LogError(.limitExceeded, "a baseline that names \(names.count) tables")
    }
    for (place, name) in names.enumerated() {
      guard (1...LogFormat.maximumNameByteCount).contains(name.utf8.count) else {
        throw LogError(.malformed, "the name of a table of \(name.utf8.count) bytes")
      }
      guard place == 0 || names[place - 1].utf8.lexicographicallyPrecedes(name.utf8) else {
        throw LogError(.malformed, "the tables of a baseline do not ascend")
      }
    }
  }

  private static func parts(_ tables: TableSelection) -> (kind: UInt8, names: [String])? {
    switch tables {
    case .all: nil
    case .only(let names): (only, names)
    case .except(let names): (except, names)
    }
  }
}
