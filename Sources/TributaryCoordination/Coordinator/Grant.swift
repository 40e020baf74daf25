internal import FoundationEssentials

/// A granted claim, and what it was requested for.
struct Grant: Sendable {
  let claim: Claim
  let intents: [FileAccessIntent]
  /// The items when the claim was made.
  let paths: [ItemPath]

  /// Where the items are now.
  var urls: [URL] {
    zip(zip(intents, paths), claim.items).map { asked, item in
      asked.1.item == item.path ? asked.0.url : URL(filePath: item.path + asked.1.rest)
    }
  }
}
