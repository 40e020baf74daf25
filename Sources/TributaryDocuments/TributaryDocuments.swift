/// Containers that applications share by an identifier, and documents that have a store each.
///
/// Depends on the engine. Without all of Foundation, which the command would have to load at each start.
enum TributaryDocuments {}
