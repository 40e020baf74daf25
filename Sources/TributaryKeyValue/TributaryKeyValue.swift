/// Small settings that all devices of an application share: property-list values under string keys, where the
/// last set of a key wins.
///
/// They are an ordinary store with one table (`KeyValueSchema`). `KeyValueEngine` keeps its contents within
/// the limits of a `KeyValueProfile`.
