/// What follows from a change of the table, outside its lock.
struct Effects {
  var granted: [(Waiter, Claim)] = []
  var mail: [PresenterMessage] = []
  /// The bells of other processes that have something to do.
  var bells: [String] = []
}
