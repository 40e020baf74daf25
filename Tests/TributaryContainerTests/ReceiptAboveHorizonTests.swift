import Testing
import TributaryContainer
import TributaryCore
import TributaryHorizon
import TributaryLog

/// What a receipt says that lists only what is above a horizon.
struct ReceiptAboveHorizonTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `a receipt above a horizon is read as the whole one was written`(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let peers = (1...8).map { PeerIdentity(high: $0, low: 1) }
    func time() -> HybridTime {
      HybridTime(milliseconds: .random(in: 1...9, using: &random), counter: 0)
    }
    let declaration = Declaration(
      weight: 1, members: peers,
      entries: peers.shuffled(using: &random).prefix(6).sorted().map {
        .init(peer: $0, sequence: .init(.random(in: 1...3, using: &random)), time: time())
      })
    let directory = ContentDirectory(container: "/c", name: try ContentName("Library"))
    var whole = PeerManifestTests.manifest(directory)
    whole.peer = peers[0]
    whole.receipt = declaration.horizon
    whole.receipt[peers[0]] = .zero
    whole.times = declaration.times
    whole.times[peers[0]] = nil
    for peer in peers[1...].shuffled(using: &random).prefix(3) {
      whole.receipt[peer] = SequenceNumber(
        whole.receipt[peer].rawValue + .random(in: 0...2, using: &random))
      whole.times[peer] = whole.receipt[peer] == .zero ? nil : time()
    }
    let written = whole.written(above: declaration)
    #expect(written.receiptHorizon == declaration.identifier)
    #expect(written.resolved(by: declaration) == whole)
    for subject in peers {
      var part = whole
      part.receipt = Knowledge(whole.receipt.entries.filter { $0.peer == subject })
      part.times = whole.times.filter { $0.key == subject }
      var asked = written
      asked.receipt = Knowledge(written.receipt.entries.filter { $0.peer == subject })
      asked.times = written.times.filter { $0.key == subject }
      #expect(asked.resolved(by: declaration, about: subject) == part)
    }
    // Whoever asks for all receipts does not need the times of what lies beneath.
    var without = whole
    without.times = written.times
    #expect(written.resolved(by: declaration, includesTimes: false) == without)
  }
}
