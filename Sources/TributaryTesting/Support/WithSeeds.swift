import Foundation

/// A failure of a seeded body, with the seed that brings it back.
package struct SeedFailure: Error, CustomStringConvertible {
  package var seed: UInt64
  package var underlying: any Error

  package var description: String {
    "seed \(seed) (alone again with TRIBUTARY_SEED=\(seed)): \(underlying)"
  }
}

/// Runs the body once for each seed, and names the seed when it throws; `#require` throws, `#expect`
/// does not: give that one the generator as its comment.
///
/// The environment variable `TRIBUTARY_SEED` replaces the seeds by a single one.
///
/// - Throws: `SeedFailure` at the first seed whose body throws.
package func withSeeds(
  _ seeds: Range<UInt64>, _ body: (inout SeededGenerator) throws -> Void
) throws {
  for seed in chosenSeed.map({ $0..<$0 + 1 }) ?? seeds {
    var generator = SeededGenerator(seed: seed)
    do {
      try body(&generator)
    } catch {
      throw report(SeedFailure(seed: seed, underlying: error))
    }
  }
}

/// The same for a body that waits.
///
/// - Throws: `SeedFailure` at the first seed whose body throws.
package func withSeeds(
  _ seeds: Range<UInt64>, isolation: isolated (any Actor)? = #isolation,
  _ body: (inout SeededGenerator) async throws -> Void
) async throws {
  for seed in chosenSeed.map({ $0..<$0 + 1 }) ?? seeds {
    var generator = SeededGenerator(seed: seed)
    do {
      try await body(&generator)
    } catch {
      throw report(SeedFailure(seed: seed, underlying: error))
    }
  }
}

private var chosenSeed: UInt64? {
  ProcessInfo.processInfo.environment["TRIBUTARY_SEED"].map { text in
    guard let seed = UInt64(text), seed < .max else {
      preconditionFailure("TRIBUTARY_SEED is not a number that can be a seed: \(text)")
    }
    return seed
  }
}

private func report(_ failure: SeedFailure) -> SeedFailure {
  FileHandle.standardError.write(Data("\(failure)\n".utf8))
  return failure
}
