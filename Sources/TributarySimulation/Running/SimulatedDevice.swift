import Synchronization
internal import TributaryCore
internal import TributarySync
internal import TributaryTesting

/// A device of a fleet: a real store, a disk with its copy of the container, a clock.
final class SimulatedDevice {
  let number: Int
  let store: SimulatedStore
  let files: SimulatedFileSystem
  let clock: AdjustableClock
  /// When the file of its store was made.
  let birth: Birth

  /// Whether the store is open.
  var isOpen = false
  /// The last own transaction that survives a power cut.
  var durable = SequenceNumber.zero
  /// The part of its write-ahead log that survives a power cut.
  var mark: StoreImage.Mark?
  /// What the process left when it was killed; if the fault is a power cut, the power was cut as
  /// well.
  var death: (image: StoreImage, fault: FileFault)?
  var backup: (store: StoreImage, disk: DiskSnapshot)?
  /// The time of its clock then.
  var backedUp: UInt64 = 0
  /// The number of operations on files of the last synchronisation.
  var lastCount = 12

  init(
    _ plan: SimulationPlan.Device, of fleet: SimulationPlan, in directory: String,
    _ generator: HistoryGenerator
  ) {
    number = plan.number
    clock = AdjustableClock(milliseconds: plan.time)
    files = SimulatedFileSystem(number: plan.number, seed: plan.seed, clock: clock)
    let files = files
    let birth = Birth(Int64(plan.number))
    self.birth = birth
    let identities = Mutex(SeededGenerator(seed: plan.seed ^ 0x1D))
    var environment = StoreEnvironment(
      fileSystem: files, clock: clock, containerLimit: nil,
      makeIdentity: { identities.withLock { PeerIdentity.random(using: &$0) } })
    if fleet.notesChanges {
      files.notesChanges = true
      environment.fewestRememberedPeers = 1
    }
    if fleet.limitsReceipts { environment.mostWholeReceipts = 0 }
    environment.birth = { _ in birth.value }
    environment.stateDirectory = "\(directory)/state"
    environment.segments = fleet.segments
    environment.branchPatience = fleet.branchPatience
    environment.horizons = fleet.forgets ? .eager : .off
    if plan.readsAhead {
      environment.importRowLimit = 2
      environment.containerLimit = .seconds(30)
      environment.fileSystem = TurnTakingFileSystem(files)
    }
    store = SimulatedStore(
      plan.number, in: directory, container: SimulatedDisk.container, generator, clock: clock,
      environment: environment, seed: plan.seed, others: plan.others)
    files.onLogSynchronized = { [unowned self] in
      mark = StoreImage.Mark(of: store.path)
      durable = recorded
    }
  }

  /// What it has written itself, from the time when identities are unreliable.
  var promises: [Promise] = []

  var peer: PeerIdentity { store.peer }

  /// The last own transaction that has been committed.
  var recorded = SequenceNumber.zero

  /// Why a write within a synchronisation failed.
  var writeFailure: (any Error)?

  /// Whether it was killed during such a write, before or after the commit.
  var hasDiedWriting = false

  /// Whether it can access its container.
  var isMounted: Bool { files.driver.mount == .normal }

  /// Whether a baseline of its own is in its container.
  var hasBaseline: Bool { store.baselines.keys.contains { files.disk.file($0) != nil } }

  /// Whether its own directory is in its container.
  var hasDirectory: Bool { files.disk.isDirectory(SimulatedCarrier.peerPath(peer)) }

  final class Birth: Sendable {
    private let number: Atomic<Int64>

    init(_ number: Int64) { self.number = Atomic(number) }

    var value: Int64 {
      get { number.load(ordering: .relaxed) }
      set { number.store(newValue, ordering: .relaxed) }
    }
  }
}
