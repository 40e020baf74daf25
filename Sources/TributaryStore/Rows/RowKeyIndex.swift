import TributaryCore

/// A set of row keys, each numbered in the order of first appearance: an open-addressing hash table without
/// an allocation per key.
///
/// Keys are bytes from `RowKeyEncoder`, together with a table number. The set is kept and emptied between
/// uses.
package struct RowKeyIndex: ~Copyable {
  private struct Entry {
    var hash: UInt64
    var start: Int
    var count: Int
    var table: UInt32
  }

  private var entries: [Entry] = []
  private var keys = ByteBuffer(capacity: 4096)
  /// Entry numbers plus one; 0 is free. The size is a power of two, and at most half is used.
  private var slots: [UInt32] = Array(repeating: 0, count: 64)
  // Hostile bytes must not be able to choose colliding keys.
  private let seed = UInt64.random(in: .min ... .max) | 1

  package init() {}

  package var count: Int { entries.count }

  /// Removes all keys.
  ///
  /// - Complexity: O(keys in the set), whatever its capacity.
  package mutating func removeAll() {
    if entries.isEmpty { return }
    if entries.count * 8 < slots.count {
      for (number, entry) in entries.enumerated() {
        var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
        // The entry exists, although some entries before it may be gone.
        while slots[slot] != UInt32(number + 1) { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = 0
      }
    } else {
      for slot in slots.indices { slots[slot] = 0 }
    }
    entries.removeAll(keepingCapacity: true)
    keys.removeAll()
  }

  /// Returns the table of the key with a number.
  package func table(_ number: Int) -> UInt32 { entries[number].table }

  /// Returns the bytes of the key with a number; they are valid until the next insertion.
  package func key(_ number: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: keys.bytes[entries[number].start...].prefix(entries[number].count))
  }

  /// Returns the number of a key, or `nil`.
  ///
  /// - Complexity: O(length of the key).
  package func number(of key: UnsafeRawBufferPointer, table: UInt32) -> Int? {
    let hash = hash(key, table)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if entries[number].hash == hash, entries[number].table == table, equals(number, key) {
        return number
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Inserts a key unless it is present.
  ///
  /// - Complexity: O(length of the key), amortised.
  package mutating func insert(
    _ key: UnsafeRawBufferPointer, table: UInt32
  ) -> (number: Int, isNew: Bool) {
    let hash = hash(key, table)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if entries[number].hash == hash, entries[number].table == table, equals(number, key) {
        return (number, false)
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    entries.append(Entry(hash: hash, start: keys.count, count: key.count, table: table))
    keys.append(key)
    slots[slot] = UInt32(entries.count)
    if entries.count * 2 > slots.count { grow() }
    return (entries.count - 1, true)
  }

  private func equals(_ number: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    let entry = entries[number]
    guard entry.count == key.count else { return false }
    return keys.bytes[entry.start..<entry.start + entry.count].elementsEqual(key)
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    for (number, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(number + 1)
    }
  }

  private func hash(_ key: UnsafeRawBufferPointer, _ table: UInt32) -> UInt64 {
    var state = seed ^ (UInt64(table) &* 0x9E37_79B9_7F4A_7C15)
    var offset = 0
    while offset + 8 <= key.count {
      state = Self.mix(state ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var tail = UInt64(key.count) << 56
    while offset < key.count {
      tail = tail << 8 ^ UInt64(key[offset])
      offset += 1
    }
    return Self.mix(state ^ tail)
  }

  /// Multiplies to 128 bits and folds the halves.
  private static func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
  }
}
