import TributaryCore
import TributaryLog

/// Checks that a segment that is written above a horizon reads the same with the horizon and without it,
/// except for what is below the horizon.
enum HorizonCheck {
  /// - Parameters:
  ///   - model: what was read without the horizon.
  ///   - bytes: the segment.
  static func run(_ model: SegmentModel, _ bytes: [UInt8]) throws {
    // With more entries, the complete knowledge may exceed the limit.
    guard model.header.knowledge.count < 1000 else { return }
    let horizon = horizon(beneath: model)
    let whole = try SegmentModel(reading: bytes, limits: SegmentReading.limits, above: horizon)
    var expected = model
    for index in expected.transactions.indices {
      var known = horizon
      known[model.header.peer] = .zero
      known.formUnion(model.transactions[index].header.knowledge)
      expected.transactions[index].header.knowledge = known
      expected.transactions[index].header.basis = model.transactions[index].header.basis.map {
        horizon.union($0)
      }
    }
    guard whole == expected else { throw FuzzFailure("with its horizon it is \(whole)") }
    guard try whole.written(above: horizon).bytes == bytes else {
      throw FuzzFailure("written above its horizon again, it has other bytes")
    }
  }

  /// Returns a horizon that the segment may be above: directly below what the first transaction lists, and
  /// with entries for the author and another peer if they occur nowhere.
  private static func horizon(beneath model: SegmentModel) -> Knowledge {
    let bases = model.transactions.compactMap(\.header.basis)
    var horizon = Knowledge()
    for entry in model.transactions.first?.header.knowledge.entries ?? [] {
      guard bases.allSatisfy({ $0[entry.peer] == .zero }) else { continue }
      horizon[entry.peer] = SequenceNumber(entry.sequence.rawValue - 1)
    }
    let others = [model.header.peer, PeerIdentity(high: 0x5EED, low: 0x5EED)]
    for peer in others
    where model.header.knowledge[peer] == .zero && bases.allSatisfy({ $0[peer] == .zero }) {
      horizon[peer] = SequenceNumber(3)
    }
    return horizon
  }
}
