extension PeerManifest {
  /// Whether the peer's program reads segments and receipts above horizons (version 1.1 of segments, 1.2 of
  /// `peer.json`), as far as this file says.
  ///
  /// Programs that do are recognised by version 1.2 or higher of `peer.json`, unless they state ranges
  /// without these versions.
  package var readsAboveHorizons: Bool { format >= .withHorizons && !refusesAboveHorizons }

  /// Whether the peer's program says that it does not read segments or receipts above horizons.
  package var refusesAboveHorizons: Bool {
    !(formats?.log?.contains(.aboveHorizons) ?? true)
      || !(formats?.manifest?.contains(.withHorizons) ?? true)
  }

  /// Whether the peer's program does not agree on horizons: it is version 1.0, has this switched off, or does
  /// not read baselines that declare a horizon.
  package var promisesNothing: Bool { horizon == nil || refusesDeclarations }

  /// Whether the peer's program says that it does not read baselines that declare a horizon (version 1.1).
  package var refusesDeclarations: Bool {
    formats?.baseline.map { !$0.contains(.aboveHorizons) } ?? false
  }
}
