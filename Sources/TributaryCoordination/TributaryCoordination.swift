// TributaryCoordination: which processes may read and write which items of this machine, and which items
// there are.
//
// - `FileCoordinator` and `FilePresenter` are what applications see.
// - `CoordinationTable` decides: a value that lists the claims and presenters of all processes of a user.
// - `CoordinationDomain` keeps the table in a file in the user's runtime directory, changes it under a kernel
//   lock, and wakes the processes that a change concerns.
// - `MetadataQuery` lists items that match, and follows their changes.
