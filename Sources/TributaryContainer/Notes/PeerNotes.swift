import TributaryCore
import TributaryFiles

/// What a session has found out about the files of many peers, in the form in which the store keeps it for the
/// next session. That session then lists only the directories that have changed since, and reads only the files
/// that have.
package struct PeerNotes: Equatable, Sendable {
  /// The names in a peer's directory, and the stamps of the directory and its log from before they were listed.
  package struct Listed: Equatable, Sendable {
    package var directory: DirectoryStamp
    package var log: DirectoryStamp
    package var listing: PeerListing

    /// Makes a note.
    package init(directory: DirectoryStamp, log: DirectoryStamp, listing: PeerListing) {
      self.directory = directory
      self.log = log
      self.listing = listing
    }
  }

  /// A manifest, and the status of the file from before it was read.
  package struct Read: Equatable, Sendable {
    package var status: FileStatus
    package var manifest: PeerManifest

    /// Makes a note.
    package init(status: FileStatus, manifest: PeerManifest) {
      self.status = status
      self.manifest = manifest
    }
  }

  /// The times of the first and the last transaction of a segment, which its header states.
  package struct Ends: Equatable, Sendable {
    package var name: SegmentName
    package var first: HybridTime
    package var last: HybridTime

    /// Makes a note.
    package init(name: SegmentName, first: HybridTime, last: HybridTime) {
      self.name = name
      self.first = first
      self.last = last
    }
  }

  /// What is known about one peer.
  package struct Entry: Equatable, Sendable {
    package var peer: PeerIdentity
    package var listed: Listed?
    package var read: Read?
    package var ends: [Ends]

    /// Makes an entry.
    package init(
      _ peer: PeerIdentity, listed: Listed? = nil, read: Read? = nil, ends: [Ends] = []
    ) {
      self.peer = peer
      self.listed = listed
      self.read = read
      self.ends = ends
    }
  }

  /// The peer to whose entries the receipts and times of the manifests are limited, as for
  /// `PeerManifest.init(decoding:of:in:about:)`.
  package var subject: PeerIdentity?
  /// What is known about each peer, in ascending order of peer.
  package var entries: [Entry]

  /// The version of the form.
  static let version: UInt8 = 2

  /// A manifest whose form is none of the first that are kept is left out.
  package static let mostForms = 64

  /// A listing of more segments is left out.
  package static let mostSegments = 64

  /// The ends of this many segments of each peer are kept, the newest ones. Usually only that of the last imported
  /// transaction is asked for, but while a peer still has what it has compacted, all are.
  package static let mostEnds = 64

  /// Notes are written again if a session had to list, or read from, one peer in this many. Writing them all takes
  /// about as long as that.
  package static let share = 16

  /// Makes notes.
  package init(subject: PeerIdentity? = nil, entries: [Entry] = []) {
    self.subject = subject
    self.entries = entries
  }
}

extension PeerManifest {
  /// The peer of a form.
  static let nobody = PeerIdentity(high: 0, low: 0)

  /// The manifest without the members in which manifests usually differ. Thus most manifests have the same form,
  /// which is kept once for all of them.
  var form: PeerManifest {
    var form = self
    form.peer = Self.nobody
    form.name = ""
    form.sequence = .zero
    form.receipt = Knowledge()
    form.times = [:]
    form.horizon?.made = .zero
    form.horizon?.day = 0
    form.schema.spent = form.schema.spent.mapValues { _ in 0 }
    form.schema.changed = nil
    return form
  }
}

extension PeerListing {
  /// Whether there is nothing but what belongs there.
  var isPlain: Bool {
    misnamed.isEmpty && ignored.isEmpty && corrections.isEmpty && failure == nil && !hasVanished
  }
}
