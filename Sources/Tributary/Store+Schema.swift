public import TributarySync

extension Store {
  /// Returns the migrations of this store and its peers, where each of them has run, what waits for them, and
  /// which peers have tables that differ from those here. Changes nothing.
  ///
  /// - Throws: `ContainerError` if the container cannot be read completely.
  public func schemaReport() throws -> SchemaReport { try session.schemaReport() }
}
