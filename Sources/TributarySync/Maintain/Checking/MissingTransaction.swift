import TributaryContainer
import TributaryCore
import TributaryReplay

/// A transaction that a store has imported and that is in no intact file.
struct MissingTransaction {
  let sequence: SequenceNumber
  let peer: PeerIdentity

  /// Returns the error that names the file that should contain it or, if there is none, the directory.
  func error(in exchange: Exchange) -> SyncError {
    let isGone = exchange.manifests.all.goneIdentities.contains(peer)
    guard let fault = fault(in: exchange) else {
      return absence(from: exchange.directory, isGone: isGone)
    }
    return SyncError(
      .logsMissing,
      "\(fault.finding): no other file has transaction \(sequence) of \(peer), which the store has imported",
      path: fault.path, remedy: Self.remedy(for: fault, isGone: isGone), underlying: fault)
  }

  /// Returns the error for a transaction for which there is no file.
  ///
  /// - Parameter isGone: whether no store writes under that identity any more.
  func absence(from directory: ContentDirectory, isGone: Bool = false) -> SyncError {
    SyncError(
      .logsMissing,
      "the container lacks transaction \(sequence) of \(peer), which the store has imported",
      path: directory.log(of: peer), remedy: isGone ? Remedy.lostIdentity : Remedy.lostLog)
  }

  /// Returns what is wrong with a file that should contain the transaction, or with the directory of such
  /// files; `nil` if nothing is.
  func fault(in exchange: Exchange) -> ContainerError? {
    guard let listing = exchange.listing.peers.first(where: { $0.peer == peer }) else { return nil }
    if let failure = listing.failure { return ContainerError(failure) }
    let segments = exchange.segments(of: peer)
    for file in listing.segments where file.name.first <= sequence && sequence <= file.name.last {
      do throws(ContainerError) {
        try exchange.memory.verified.verify(file.name, in: segments)
      } catch {
        if error.code != .missingFile { return error }
      }
    }
    return nil
  }

  /// Returns what to do about a file of another peer.
  ///
  /// - Parameter isGone: whether no store writes under that identity any more.
  static func remedy(for fault: ContainerError, isGone: Bool) -> String {
    switch fault.code {
    case .damagedFile: isGone ? Remedy.lostCopy : Remedy.theirReseed
    case .foreign:
      Remedy.strayFile + "its device publishes its own again with `tributary sync --reseed`"
    default: fault.remedy
    }
  }
}
