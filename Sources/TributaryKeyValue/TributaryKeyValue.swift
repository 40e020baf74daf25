/// Small settings that all devices of an application share: property-list values under string keys, of which the
/// last one set counts.
///
/// They are an ordinary store with one table (`KeyValueSchema`). `KeyValueEngine` keeps what it holds within the
/// limits of a `KeyValueProfile`.
