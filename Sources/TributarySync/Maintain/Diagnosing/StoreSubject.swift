import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore

/// A store to examine, as one snapshot.
struct StoreSubject {
  let path: String
  let connection: Connection
  let environment: StoreEnvironment

  /// Reads the identity of the store.
  ///
  /// - Throws: `StoreError` for bookkeeping that does not contain it.
  func identity() throws -> StoreIdentity { try Settings(connection).identity() }

  /// Returns the store's last own transaction; zero before the first.
  func last() throws -> SequenceNumber { try Outbox(connection).last()?.sequence ?? .zero }

  func schema() throws -> ReplicatedSchema {
    try ReplicatedSchema(connection, selection: TableSelection(connection))
  }

  /// Returns the store with its container, as a synchronisation would find them.
  func exchange(with content: ContentSubject) throws -> Exchange {
    var exchange = Exchange(try identity(), connection, environment, content.directory)
    exchange.listing = content.listing
    exchange.manifests = content.peerManifests
    return exchange
  }

  /// Makes a finding about the bookkeeping.
  func damage(
    _ code: Finding.Code, _ explanation: String, remedy: String = Remedy.rebuild
  ) -> Finding {
    Finding(code, .damage, path: path, "\(path): \(explanation)", remedy: remedy)
  }

  /// The examinations that need only the database.
  var examinations: [any Examination] {
    [
      DatabaseExamination(store: self), ReferenceExamination(store: self),
      BookkeepingTableExamination(store: self),
      BookkeepingExamination(store: self), DecodingExamination(store: self),
      OutboxExamination(store: self), KnowledgeExamination(store: self),
      SegmentTableExamination(store: self), TableExamination(store: self),
      TriggerExamination(store: self), ForeignWriteExamination(store: self),
      ClockExamination(store: self),
      UnpublishedExamination(store: self),
    ]
  }

  /// Returns the examinations that compare the store with its container.
  func examinations(with content: ContentSubject, _ identity: StoreIdentity) -> [any Examination] {
    [
      IdentityExamination(store: self, content: content, own: identity.peer),
      OwnSegmentExamination(store: self, content: content, own: identity.peer),
      ArrivalExamination(store: self, content: content, own: identity.peer),
      AgreementExamination(store: self, content: content, own: identity.peer),
      RuleExamination(store: self, content: content, own: identity.peer),
    ]
  }
}
