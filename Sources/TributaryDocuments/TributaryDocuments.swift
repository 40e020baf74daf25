/// Containers that applications share by an identifier, and documents that each have a store.
///
/// Depends on the engine. It does not use all of Foundation, which the command would have to load at each
/// start.
enum TributaryDocuments {}
