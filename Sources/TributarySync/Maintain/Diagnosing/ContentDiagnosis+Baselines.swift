import TributaryCore
import TributaryReplay

/// What is examined about what the devices have forgotten.
extension ContentDiagnosis {
  /// Where the history begins; `nil` if no logs are here.
  func beginning() throws -> LogBeginning? { try logs.get().result.beginnings.first }

  /// Examines whether all baselines are intact, and have what no segment has any more.
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

  /// Returns what to do about a damaged baseline that nobody needs.
  private func remedy(forBaselineOf owner: PeerIdentity?) -> String {
    if owner == own { return "run `tributary baseline`, which replaces it" }
    return owner.map(gone.contains) ?? false
      ? "wait for the carrier, or delete the file"
      : "wait for the carrier; if the file is damaged where it was written, run `tributary baseline` there, which "
        + "replaces it"
  }
}
