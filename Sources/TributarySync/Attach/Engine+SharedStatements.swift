extension Engine {
  /// Returns the statements of the schema that the devices of a content name share; `nil` if no device has
  /// stated any yet, or if the store is already attached.
  ///
  /// - Throws: why the store cannot be attached there.
  package static func sharedStatements(
    for request: AttachRequest, environment: StoreEnvironment = StoreEnvironment()
  ) throws -> [String]? {
    let prospect = try AttachProspect(request, environment.bounded())
    try prospect.refusals.check()
    return prospect.manifests.flatMap { SharedSchema(manifests: $0).newest(except: nil)?.sql }
  }
}
