import TributaryContainer
import TributarySQLite
import TributaryStore

extension Engine {
  /// Returns everything that is wrong with a store or delays it. Changes nothing in the store or its
  /// container.
  ///
  /// It reads the whole database and all segments of its content name.
  ///
  /// - Returns: the findings, those about the store itself first; empty if there are none.
  /// - Throws: if the file does not exist or cannot be opened. Any other failure is a finding.
  package static func diagnose(
    store: String, environment: StoreEnvironment = StoreEnvironment(),
    progress: ((Progress) -> Void)? = nil
  ) throws -> [Finding] {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    return try StoreDiagnosis.run(store, environment, progress: progress)
  }

  /// Returns how much disk space a store takes. Changes nothing. If the container is unavailable, reports
  /// only the files beside the store.
  ///
  /// - Throws: if the file does not exist, is not attached or cannot be read.
  package static func diskUse(
    store: String, environment: StoreEnvironment = StoreEnvironment()
  ) throws -> DiskUse {
    try StorePath.check(store)
    try useExtensions(of: store, environment)
    let environment = environment.bounded(most: StoreEnvironment.lookLimit)
    let connection = try Connection.looking(at: store, environment)
    defer { connection.close() }
    return try connection.snapshot {
      let measure = DiskMeasure(connection: connection, environment: environment)
      let identity = try StoreIdentity(reading: connection)
      var use = try measure.local()
      let exchange = Exchange(identity, connection, environment, try identity.directory())
      do {
        let census = try PeerCensus(exchange)
        try use.add(
          measure.container(
            of: census.exchange, manifests: census.exchange.manifests.all, gone: census.gone()))
      } catch is ContainerError {
        // The diagnosis reports what is wrong with the container.
      }
      return use
    }
  }

  /// Diagnoses all content names of a container. Needs no store.
  ///
  /// - Parameter container: a container, a directory in it, or a single content directory.
  /// - Throws: if the directory does not exist or cannot be listed.
  package static func diagnose(
    container: String, environment: StoreEnvironment = StoreEnvironment(),
    progress: ((Progress) -> Void)? = nil
  ) throws -> [Finding] {
    try ContainerDiagnosis(path: container, environment: environment, progress: progress).run()
  }
}

extension SyncSession {
  /// Diagnoses an open store, as `Engine.diagnose(store:)` does.
  package func diagnose() throws -> [Finding] {
    try store.checkOpen()
    return try Engine.diagnose(store: store.path, environment: environment)
  }
}
