/// What is under way around the present code, in tasks and on threads.
enum CoordinationFlow {
  /// The claims that end only after the present code has returned.
  @TaskLocal static var claims: [UInt64] = []
}
