/// What is under way around the present code, in tasks and on threads.
package enum CoordinationFlow {
  /// The claims that end only after the present code has returned.
  @TaskLocal static var claims: [UInt64] = []

  /// Returns a function for another thread that runs within the same claims, while the present code waits for it: so
  /// an access there that would wait for one of them is refused, and does not wait for ever.
  package static func continued<Result>(
    _ body: @escaping @Sendable () throws -> Result
  ) -> @Sendable () throws -> Result {
    let claims = claims
    if claims.isEmpty { return body }
    return { try $claims.withValue(claims, operation: body) }
  }
}
