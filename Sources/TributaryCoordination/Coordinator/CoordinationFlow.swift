/// The accesses that enclose the current code, in tasks and on threads.
package enum CoordinationFlow {
  /// The claims that end only after the current code has returned.
  @TaskLocal static var claims: [UInt64] = []

  /// Returns a function for another thread that runs within the same claims while the current code waits for
  /// it. An access there that would wait for one of these claims is then refused instead of waiting forever.
  package static func continued<Result>(
    _ body: @escaping @Sendable () throws -> Result
  ) -> @Sendable () throws -> Result {
    let claims = claims
    if claims.isEmpty { return body }
    return { try $claims.withValue(claims, operation: body) }
  }
}
