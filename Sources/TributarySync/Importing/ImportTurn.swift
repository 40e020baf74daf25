/// Who uses the store's connection in an import: the writer, as long as it has a batch.
final class ImportTurn {
  /// What is being written.
  var pending: (handover: ImportHandover, batch: ImportBatch)?

  /// Waits until the connection is free; what the writer has done is still to be told.
  func wait() { pending?.handover.wait() }
}
