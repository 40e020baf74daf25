import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore

/// Examines the disk space that a store takes.
extension StoreDiagnosis {
  /// Examines whether the store has suddenly written much more than before.
  func growth(_ findings: inout Findings) throws {
    let today = SynchronisedDays.day(environment.clock.milliseconds())
    let written = try WrittenDays.present(connection, on: today, includesUnpublished: true)
    guard let growth = written.growth(on: today) else { return }
    let day = Timestamp.text(milliseconds: growth.day * SynchronisedDays.milliseconds).prefix(10)
    findings.add(
      Finding(
        // A new store is usually filled on its first day.
        .growth, growth.before > 0 ? .warning : .note, path: path,
        "\(path): this store wrote \(growth.bytes) bytes on \(day), more than in the "
          + "\(WrittenDays.period) days before together (\(growth.before) bytes)",
        remedy:
          "nothing needs to be done if that was meant; otherwise `tributary log stat` shows which tables were "
          + "written: look for a program that writes the same rows again and again"))
  }

  /// Examines whether the store exceeds its space limit.
  func limit(
    of identity: StoreIdentity, in content: ContentDiagnosis, _ findings: inout Findings
  ) throws {
    guard try Settings(connection).spaceLimit() != nil else { return }
    let measure = DiskMeasure(connection: connection, environment: environment)
    var use = try measure.local()
    use.used += try measure.baselines(of: identity.peer, in: content.directory)
    guard let notice = use.notice else { return }
    findings.warn(
      .spaceLimit, peer: identity.peer, path: path, notice.explanation, remedy: SpaceNotice.remedy)
  }
}
