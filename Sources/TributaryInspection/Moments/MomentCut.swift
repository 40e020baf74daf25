internal import TributaryCore
internal import TributaryLog
internal import TributaryReplay

/// The end of the logs at some moment. It includes whatever its transactions knew.
enum MomentCut {
  case everything
  /// Milliseconds since 1970.
  case time(UInt64)
  case knowledge(Knowledge)

  /// The part of a segment before the cut.
  enum Part {
    case none
    case some
    case all
  }

  func part(of header: SegmentHeader) -> Part {
    switch self {
    case .everything: .all
    case .time(let limit):
      header.firstTime.milliseconds > limit
        ? .none : header.lastTime.milliseconds <= limit ? .all : .some
    case .knowledge(let known):
      header.first > known[header.peer]
        ? .none : header.last <= known[header.peer] ? .all : .some
    }
  }

  func includes(_ transaction: TransactionHeader, of peer: PeerIdentity) -> Bool {
    switch self {
    case .everything: true
    case .time(let limit): transaction.time.milliseconds <= limit
    case .knowledge(let known): transaction.sequence <= known[peer]
    }
  }

  /// Whether everything that a baseline stands for comes before the cut.
  func includes(_ baseline: BaselineHeader) -> Bool {
    switch self {
    case .everything: true
    case .time(let limit): baseline.entries.allSatisfy { $0.time.milliseconds <= limit }
    case .knowledge(let known):
      baseline.entries.allSatisfy { $0.sequence <= known[$0.peer] }
    }
  }

  /// Whether some of what is missing may come before the cut: when that was made is not known.
  func reaches(_ gap: LogCoverage.Gap) -> Bool {
    switch self {
    case .everything, .time: true
    case .knowledge(let known): gap.missing.lowerBound <= known[gap.peer]
    }
  }

  /// Finds the cut.
  ///
  /// - Parameter moment: `nil` means the end.
  /// - Throws: `InspectionError` if the transaction of the moment does not exist, or several peers have these
  ///   digits.
  init(_ moment: Moment?, among segments: [LogSegment]) throws {
    switch moment {
    case nil: self = .everything
    case .beginning: self = .knowledge(Knowledge())
    case .time(let milliseconds): self = .time(milliseconds)
    case .transaction(let prefix, let sequence):
      let peers = Set(segments.map(\.header.peer)).filter { $0.description.hasPrefix(prefix) }
      guard let peer = peers.first else {
        throw InspectionError(
          "no segment here is from a peer whose identity begins with \(prefix)",
          remedy: "`tributary log list` names the peers")
      }
      guard peers.count == 1 else {
        throw InspectionError(
          "\(prefix) may be any of \(peers.sorted().map(\.description).joined(separator: ", "))",
          remedy: "give more digits")
      }
      let covering = segments.filter {
        $0.header.peer == peer && $0.header.first <= sequence && sequence <= $0.header.last
      }
      // Damage there is reported when the segments are read for their contents.
      let stream = SegmentStream(comparing: covering, of: peer, report: { _ in })
      while let found = stream.head, found.sequence < sequence { stream.advance() }
      if let found = stream.head, found.sequence == sequence {
        if let horizon = stream.copies.first?.unknownHorizon {
          throw InspectionError(
            "what the author of transaction \(sequence) of \(peer) knew cannot be found out: it is above the horizon "
              + "\(horizon.lowerHex), which no baseline here declares",
            remedy: "name a point in time, or wait for the baseline")
        }
        var known = found.knowledge
        known[peer] = sequence
        self = .knowledge(known)
        return
      }
      throw InspectionError(
        "no segment here has transaction \(sequence) of \(peer)",
        remedy: "`tributary log list` shows the transactions that exist")
    }
  }
}
