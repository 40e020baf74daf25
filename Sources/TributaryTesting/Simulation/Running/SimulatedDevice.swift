import Synchronization
internal import TributaryCore
internal import TributarySync

/// A device of a fleet: a real store, a disk with its copy of the container, a clock.
final class SimulatedDevice {
  let number: Int
  let store: HarnessDevice
  let files: SimulatedFileSystem
  let clock: AdjustableClock
  /// When the file of its store was made.
  let birth: Birth

  /// Whether the store is open.
  var isOpen = false
  /// Own transactions up to this one survive a power cut.
  var durable = SequenceNumber.zero
  /// What of its write-ahead log does.
  var mark: StoreImage.Mark?
  /// What the process left when it was killed; the power was cut as well if the fault says so.
  var death: (image: StoreImage, fault: FileFault)?
  var backup: (store: StoreImage, disk: DiskSnapshot)?
  /// What its clock showed then.
  var backedUp: UInt64 = 0
  /// How many operations on files the last synchronisation took.
  var lastCount = 12

  init(
    _ plan: SimulationPlan.Device, _ segments: SegmentPolicy, branchPatience: UInt64,
    in directory: String, _ generator: HistoryGenerator
  ) {
    number = plan.number
    clock = AdjustableClock(milliseconds: plan.time)
    files = SimulatedFileSystem(number: plan.number, seed: plan.seed, clock: clock)
    let files = files
    let birth = Birth(Int64(plan.number))
    self.birth = birth
    let identities = Mutex(SeededGenerator(seed: plan.seed ^ 0x1D))
    var environment = Environment(
      fileSystem: files, clock: clock, containerLimit: nil,
      makeIdentity: { identities.withLock { PeerIdentity.random(using: &$0) } })
    environment.birth = { _ in birth.value }
    environment.stateDirectory = "\(directory)/state"
    environment.segments = segments
    environment.branchPatience = branchPatience
    store = HarnessDevice(
      plan.number, in: directory, container: SimulatedDisk.container, generator, clock: clock,
      environment: environment, seed: plan.seed)
    files.onLogSynchronized = { [unowned self] in
      mark = StoreImage.Mark(of: store.path)
      durable = recorded
    }
  }

  /// What it has written itself, once identities are not to be relied on.
  var promises: [Promise] = []

  var peer: PeerIdentity { store.peer }

  /// The last own transaction that has been committed.
  var recorded = SequenceNumber.zero

  /// Why a write within a synchronisation failed.
  var writeFailure: (any Error)?

  /// Whether it can see its container as it should be.
  var isMounted: Bool { files.driver.mount == .normal }

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
