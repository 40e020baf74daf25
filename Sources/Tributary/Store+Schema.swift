public import TributarySync

extension Store {
  /// Returns the migrations of this store and its peers, where each has run, what waits for them, and whose tables
  /// differ from those here. Changes nothing.
  ///
  /// - Throws: `ContainerError` if the container cannot be seen whole.
  public func schemaReport() throws -> SchemaReport { try session.schemaReport() }
}
