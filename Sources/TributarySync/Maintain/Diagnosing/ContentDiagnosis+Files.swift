import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryReplay

/// Examines the files of a content directory.
extension ContentDiagnosis {
  /// Examines whether the directories of the peers can be listed, and written by their owners.
  func peerDirectories(_ findings: inout Findings) {
    for peer in listing.peers {
      for file in misplaced(in: peer) {
        let path = directory.peer(peer.peer).appending(component: file.path)
        findings.warn(
          .unreadable, peer: peer.peer, path: path,
          "\(path) is not a directory: \(peerText(peer.peer)) can write nothing there, and nobody reads it",
          remedy: peer.peer == own
            ? ContainerError.misplacedRemedy
            : "move it elsewhere, then run `tributary sync` there, which makes the directory")
      }
      guard let failure = peer.failure else { continue }
      findings.warn(
        failure.isDenied ? .permission : .unreadable, peer: peer.peer, path: failure.path,
        "the files of \(peerText(peer.peer)) cannot be listed: \(failure)"
          + environment.because(failure),
        remedy: failure.remedy)
    }
  }

  /// Examines whether the peers' manifests can be read.
  func manifestFiles(_ findings: inout Findings) {
    for peer in listing.peers {
      let path = directory.manifest(of: peer.peer)
      let whose = peerText(peer.peer)
      let isGone = peer.peer != own && gone.contains(peer.peer)
      let remedy =
        isGone
        ? Remedy.abandonedFile
        : peer.peer == own
          ? Remedy.sync + ", which writes it anew"
          : "run `tributary sync` there, which writes it anew, or retire the device with `tributary peers retire` if it is gone"
      switch manifests[peer.peer] {
      case .success(let manifest):
        if peer.peer != own { formats(of: manifest, path, &findings) }
      case .failure(let error):
        let code: Finding.Code =
          switch error.code {
          case .newerFormat: .newerFormat
          case .inaccessible: .unreadable
          default: .manifest
          }
        findings.add(
          Finding(
            code, code == .manifest ? .damage : .warning, peer: peer.peer, path: path,
            "the peer.json of \(whose) cannot be read: \(error.message)"
              + ((error.underlying as? FileError).map(environment.because) ?? ""),
            remedy: code == .manifest ? remedy : error.remedy))
      case nil:
        // No store ever had an identity under which others have issued something again.
        if peer.segments.isEmpty || adopted[peer.peer] != nil { continue }
        if isGone {
          findings.note(
            .manifest, peer: peer.peer, path: path,
            "\(whose) has segments and no peer.json: its store has left that identity for another, or is gone",
            remedy:
              "nothing needs to be done: nobody writes that file any more, and nobody needs it")
          continue
        }
        findings.warn(
          .manifest, peer: peer.peer, path: path,
          "\(whose) has segments and no peer.json: its name, its schema and what it has imported are "
            + "unknown",
          remedy: "wait for the carrier, or \(remedy)")
      }
    }
  }

  /// Examines whether a peer's program can read what this one writes.
  private func formats(
    of manifest: PeerManifest, _ path: String, _ findings: inout Findings
  ) {
    guard let theirs = manifest.formats, !gone.contains(manifest.peer) else { return }
    for (kind, own) in zip(theirs.kinds, ReadableFormats.current.kinds) {
      guard let range = kind.range, let written = own.range else { continue }
      if range.oldest > written.newest {
        findings.warn(
          .newerFormat, peer: manifest.peer, path: path,
          "\(peerText(manifest.peer)) reads \(kind.name) of the versions \(range), and this program writes "
            + "\(written.newest) at most: it can read nothing new from here",
          remedy: "update Tributary here")
      } else if range.newest < written.newest {
        findings.note(
          .olderFormat, peer: manifest.peer, path: path,
          "\(peerText(manifest.peer)) reads \(kind.name) up to version \(range.newest) only, so that no "
            + "device writes a newer one",
          remedy:
            "update Tributary there, or retire the device with `tributary peers retire` if it is gone"
        )
      }
    }
  }

  /// Examines whether all segments are intact and where they belong. Reads every segment and baseline to the
  /// end.
  func segments(_ findings: inout Findings) throws {
    for finding in try logs.get().findings {
      // These are reported elsewhere.
      if finding.kind == .fork || finding.kind == .forgotten || finding.kind == .baseline {
        continue
      }
      let owner = owner(of: finding.path)
      var result = Finding(
        code(finding.kind), .damage, peer: owner ?? finding.peer, path: finding.path,
        "\(finding.path): \(finding.message)", remedy: try remedy(finding, owner))
      if finding.kind == .foreign, let remedy = remedyForStray(finding, owner) {
        result.remedy = remedy
      }
      if finding.kind == .unreadable || finding.kind == .newerFormat { result.severity = .warning }
      if finding.kind == .contradiction,
        adopted.values.contains(where: { $0.former == finding.peer })
      {
        result.severity = .note
        result.remedy = "nothing needs to be done: one of the two logs was issued again"
      }
      if let error = finding.underlying as? FileError {
        result.explanation = "\(error)" + environment.because(error)
        result.remedy = error.remedy
        if error.isDenied { result.code = .permission }
      }
      findings.add(result)
    }
  }

  /// Returns the peer in whose directory a segment or a baseline is.
  func owner(of segment: String) -> PeerIdentity? {
    PeerIdentity(hex: segment.parentDirectory.parentDirectory.lastPathComponent)
  }

  private func code(_ kind: LogFinding.Kind) -> Finding.Code {
    switch kind {
    case .empty: .segmentEmpty
    case .truncated: .segmentTruncated
    case .damaged: .segmentDamaged
    case .foreign: .segmentForeign
    case .newerFormat: .newerFormat
    case .unreadable: .unreadable
    case .contradiction: .contradiction
    case .fork: .fork
    case .baseline: .baselineDamaged
    case .forgotten: .baselineMissing
    }
  }

  /// Whether a baseline has everything that a peer's segment should contain, according to its name.
  private func isCovered(_ path: String, of owner: PeerIdentity) throws -> Bool {
    guard let name = SegmentName(path.lastPathComponent), let beginning = try beginning() else {
      return false
    }
    return beginning.lack == nil && name.last <= beginning.horizon[owner]
  }

  private func remedy(_ finding: LogFinding, _ owner: PeerIdentity?) throws -> String {
    switch finding.kind {
    case .empty, .truncated, .damaged, .unreadable:
      if owner == own { return Remedy.reseed }
      guard let owner, gone.contains(owner) else { return Remedy.theirReseed }
      return try isCovered(finding.path, of: owner) ? Remedy.coveredFile : Remedy.lostCopy
    case .foreign: return Remedy.strayFile + "nobody reads it here"
    case .newerFormat:
      return "update Tributary here; the file is imported by itself afterwards"
    case .contradiction, .fork: return Remedy.fork
    case .baseline, .forgotten: return LogBeginning.remedy
    }
  }

  /// Examines whether a peer has two transactions under one sequence: overlapping segments must have the same
  /// contents.
  func forks(_ findings: inout Findings) throws {
    var first: [PeerIdentity: (sequence: SequenceNumber, message: String, path: String)] = [:]
    for fork in try logs.get().findings where fork.kind == .fork {
      guard let peer = fork.peer, let sequence = fork.sequence else { continue }
      if let known = first[peer], known.sequence <= sequence { continue }
      first[peer] = (sequence, fork.message, fork.path)
    }
    for (peer, fork) in first.sorted(by: { $0.key < $1.key }) {
      let what = "\(peerText(peer)) has two logs that part at transaction \(fork.sequence)"
      if isAdopted(fork.sequence, of: peer) {
        findings.note(
          .fork, peer: peer, path: fork.path,
          "\(what); one of them was issued again under another identity, and nothing is missing",
          remedy: "nothing needs to be done")
      } else {
        findings.damage(
          .fork, peer: peer, path: fork.path,
          "\(what): two stores, or two lives of one, have written under its identity: "
            + "\(fork.path): \(fork.message)",
          remedy: Remedy.fork)
      }
    }
  }

  /// Returns what is in place of the directories of a peer that its store writes.
  private func misplaced(in peer: PeerListing) -> [IgnoredFile] {
    gone.contains(peer.peer)
      ? []
      : peer.ignored.filter {
        $0.reason == .wrongKind && ($0.path == "log" || $0.path == "baseline")
      }
  }

  /// Counts the files that do not belong to this product, by kind.
  func ignoredFiles(_ findings: inout Findings) {
    var files: [IgnoredFile.Reason: [String]] = [:]
    func add(_ ignored: [IgnoredFile], in directory: String) {
      for file in ignored {
        files[file.reason, default: []].append(directory.appending(component: file.path))
      }
    }
    add(listing.ignored, in: directory.peers)
    for peer in listing.peers {
      let misplaced = misplaced(in: peer)
      add(peer.ignored.filter { !misplaced.contains($0) }, in: directory.peer(peer.peer))
    }
    for reason in IgnoredFile.Reason.allCases {
      guard let paths = files[reason], let first = paths.first else { continue }
      let others = paths.count == 1 ? "" : " and \(paths.count - 1) more"
      let (text, remedy) = reason.explanation
      findings.note(
        .ignored, path: first, "ignored: \(text): \(first)\(others)", remedy: remedy)
    }
  }

  /// Examines what killed publishers have left behind.
  func temporaryFiles(_ findings: inout Findings) throws {
    // In milliseconds: a younger file may still be in the process of being written.
    let age: UInt64 = 3_600_000
    let now = environment.clock.milliseconds()
    for peer in listing.peers {
      for file in peer.ignored where TemporaryName.matches(file.path.lastPathComponent) {
        let path = directory.peer(peer.peer).appending(component: file.path)
        guard let status = try environment.fileSystem.status(path), status.kind == .file,
          now > status.modifiedMilliseconds, now - status.modifiedMilliseconds > age
        else { continue }
        findings.note(
          .staleTemporary, peer: peer.peer, path: path,
          "\(path) was left by a publisher that was killed",
          remedy: peer.peer == own
            ? "\(Remedy.sync), which removes it" : "the next `tributary sync` there removes it")
      }
    }
  }
}

extension IgnoredFile.Reason {
  /// What such files are, and what to do about them.
  fileprivate var explanation: (text: String, remedy: String) {
    switch self {
    case .temporary:
      (
        "temporary",
        "nothing needs to be done: they become files, or are removed, when their writer is done"
      )
    case .conflictCopy:
      (
        "a carrier's conflict copy",
        "nothing needs to be done; they can be removed: every file has one writer here"
      )
    case .placeholder:
      (
        "stands for a file that the carrier has not brought",
        "have the carrier keep this directory on the device"
      )
    case .removedWhileOpen:
      (
        "removed while a program had it open",
        "nothing needs to be done: they disappear when no program has them open"
      )
    case .wrongKind:
      (
        "a directory, link or device where a file belongs, or the other way round",
        "nothing needs to be done; they can be moved elsewhere"
      )
    case .system: ("kept by a system or carrier for itself", "nothing needs to be done")
    case .unknown:
      ("not part of the format", "nothing needs to be done; they can be moved elsewhere")
    }
  }
}
