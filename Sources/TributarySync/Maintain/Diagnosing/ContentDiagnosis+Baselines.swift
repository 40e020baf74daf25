import TributaryCore
import TributaryReplay

/// Examines what the devices have forgotten.
extension ContentDiagnosis {
  /// Where the history begins; `nil` if no logs are here.
  func beginning() throws -> LogBeginning? { try logs.get().result.beginnings.first }

  /// Examines whether all baselines are intact, and contain what no segment contains any more.
  func baselines(_ findings: inout Findings) throws {
    let lack = try beginning()?.lack
    for finding in try logs.get().findings where finding.kind == .baseline {
      let owner = owner(of: finding.path)
      findings.warn(
        .baselineDamaged, peer: owner, path: finding.path, "\(finding.path) \(finding.message)",
        remedy: lack == nil ? remedy(forBaselineOf: owner) : LogBeginning.remedy)
    }
    guard let lack else { return }
    findings.warn(
      .baselineMissing, path: directory.peers, "\(lack); a device that begins now waits",
      remedy: LogBeginning.remedy)
  }

  /// Examines which peers keep all others from forgetting, since their programs agree on no horizon.
  func horizons(_ findings: inout Findings) {
    guard readable.contains(where: { $0.horizon != nil }) else { return }
    for manifest in readable where manifest.horizon == nil && !gone.contains(manifest.peer) {
      findings.note(
        .olderFormat, peer: manifest.peer, path: directory.manifest(of: manifest.peer),
        "\(peerText(manifest.peer)) agrees on no horizon: its program is older, or has that switched off, so no device "
          + "forgets anything or makes room",
        remedy:
          "update Tributary there, or retire the device with `tributary peers retire` if it is gone"
      )
    }
  }

  /// Returns what to do about a damaged baseline that no device needs.
  private func remedy(forBaselineOf owner: PeerIdentity?) -> String {
    if owner == own {
      return
        "run `tributary sync`, which writes another one if it is needed, or `tributary baseline`, which replaces it"
    }
    return owner.map(gone.contains) ?? false
      ? "wait for the carrier, or delete the file"
      : "wait for the carrier; if the file is damaged where it was written, run `tributary sync` there, or `tributary "
        + "baseline`, which replaces it"
  }
}
