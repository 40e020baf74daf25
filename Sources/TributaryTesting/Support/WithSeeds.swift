import Foundation

/// A failure of a seeded body, with the seed that reproduces it.
package struct SeedFailure: Error, CustomStringConvertible {
  package var seed: UInt64
  package var underlying: any Error

  /// The filter with which `swift test` finds the test; may be empty.
  package var filter = ""

  package var description: String {
    let command = filter.isEmpty ? "" : " swift test -c release --filter \(filter)"
    return "seed \(seed) (alone again with TRIBUTARY_SEED=\(seed)\(command)): \(underlying)"
  }
}

/// Runs the body once for each seed, and names the seed if it throws. `#require` throws, but
/// `#expect` does not, so pass the generator to `#expect` as its comment.
///
/// The environment variable `TRIBUTARY_SEED` replaces the seeds by a single one.
///
/// - Parameter filter: a filter that finds the test again, for the message.
/// - Throws: `SeedFailure` at the first seed whose body throws.
package func withSeeds(
  _ seeds: Range<UInt64>, filter: String = "",
  _ body: (inout SeededGenerator) throws -> Void
) throws {
  for seed in chosenSeed.map({ $0..<$0 + 1 }) ?? seeds {
    var generator = SeededGenerator(seed: seed)
    do {
      try body(&generator)
    } catch {
      throw report(SeedFailure(seed: seed, underlying: error, filter: filter))
    }
  }
}

/// Runs an asynchronous body once for each seed, as the function above does.
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

/// The seed that the environment requests; `nil` if it requests none.
package var chosenSeed: UInt64? {
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
