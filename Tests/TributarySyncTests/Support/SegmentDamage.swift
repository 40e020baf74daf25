import Foundation

/// What happens to the file of a segment.
enum SegmentDamage: String, CaseIterable {
  case truncated, empty, flipped, newer

  func apply(_ data: inout Data) {
    switch self {
    case .truncated: data.removeLast(data.count / 2)
    case .empty: data.removeAll()
    case .flipped: data[data.count - 40] ^= 1
    case .newer: data[16] = 2
    }
  }
}
