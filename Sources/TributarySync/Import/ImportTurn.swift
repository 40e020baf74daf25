/// Decides who uses the store's connection in an import: the writer, while it has a batch.
final class ImportTurn {
  /// The batch that is being written.
  var pending: (handover: ImportHandover, batch: ImportBatch)?

  /// Waits until the connection is free; the writer's results remain to be reported.
  func wait() { pending?.handover.wait() }
}
