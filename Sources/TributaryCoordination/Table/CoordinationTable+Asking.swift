extension CoordinationTable {
  /// Asks the presenters whose items a claim is about.
  ///
  /// - Returns: whether there are any.
  mutating func ask(for index: Int) -> Bool {
    let claim = claims[index]
    let own = Set(claim.under + [claim.number])
    // A presenter that has made way for a claim around this one need not do so again.
    var excused: Set<UInt64> = [claim.presenter]
    for other in claims where own.contains(other.number) && other.purpose == claim.purpose {
      excused.insert(other.presenter)
      if other.number != claim.number { excused.formUnion(other.relinquished) }
    }
    var relinquished: Set<UInt64> = []
    for item in claim.items {
      for presenter in presenters where !excused.contains(presenter.number) {
        let kinds = Self.questions(to: presenter, about: item)
        for kind in kinds {
          send(
            kind, to: presenter.number, claim: claim.number,
            path: kind == .accommodateSubitemDeletion ? item.path : "")
        }
        if kinds.contains(.relinquishToReader) || kinds.contains(.relinquishToWriter) {
          relinquished.insert(presenter.number)
        }
      }
    }
    claims[index].relinquished = relinquished.sorted()
    return messages.contains { $0.claim == claim.number && $0.kind.needsAnswer }
  }

  private static func questions(
    to presenter: PresenterRecord, about item: ClaimItem
  ) -> [PresenterMessage.Kind] {
    let isConcerned = presenter.path.isAtOrBelow(item.path)
    switch item.access {
    case .reading(let options):
      guard isConcerned else { return [] }
      return options.contains(.withoutChanges)
        ? [.relinquishToReader] : [.relinquishToReader, .saveChanges]
    case .writing(let options):
      let isDeleting = options.contains(.forDeleting) || options.contains(.forReplacing)
      guard isConcerned else {
        return options.contains(.forDeleting) && item.path.isBelow(presenter.path)
          ? [.accommodateSubitemDeletion] : []
      }
      var kinds: [PresenterMessage.Kind] = [.relinquishToWriter]
      if options.contains(.forMerging) || options.contains(.forMoving) && !isDeleting {
        kinds.append(.saveChanges)
      }
      if isDeleting { kinds.append(.accommodateDeletion) }
      return kinds
    }
  }

  /// Sends a message, unless the presenter is about to get the same one.
  mutating func send(
    _ kind: PresenterMessage.Kind, to presenter: UInt64, claim: UInt64 = 0, path: String = "",
    otherPath: String = ""
  ) {
    let isPending = messages.contains {
      $0.presenter == presenter && $0.kind == kind && $0.claim == claim && $0.path == path
        && $0.otherPath == otherPath && !$0.isDelivered
    }
    if isPending { return }
    messages.append(
      PresenterMessage(
        number: takeNumber(), presenter: presenter, kind: kind, claim: claim, path: path,
        otherPath: otherPath))
  }
}
