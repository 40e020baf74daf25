// TributaryMerge: what an import does to rows.
//
// `MergeBatch` collects new changes by row in `BatchRows`, together with changes that their authors did not
// know. `RowOutcome` folds the changes of one row in their order. `RowApplier` or `BulkInsertion` writes the
// result, and `AppliedChanges` notes it. At the end, the resolver of TributaryStore decides which rows the
// constraints allow.
//
// `docs/merging.md` is the definition. `MergeDefinition` expresses the same in SQL, slowly and over whole
// logs, for `verify`; `docs/merging-internals.md` explains why the fast way gives the same result.
