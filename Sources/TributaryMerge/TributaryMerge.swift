// TributaryMerge: what an import does to rows.
//
// `MergeBatch` collects new changes by row in `BatchRows`, together with those that their authors did not know.
// `RowOutcome` folds the changes of one row in their order, and `RowApplier` or `BulkInsertion` writes the result,
// which `AppliedChanges` notes. At the end, the resolver of TributaryStore decides which rows the constraints allow.
//
// `docs/merging.md` is the definition. `MergeDefinition` says the same in SQL, slowly and over whole logs, for
// `verify`; `docs/merging-internals.md` says why the fast way gives the same result.
