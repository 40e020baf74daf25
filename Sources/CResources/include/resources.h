#ifndef TRIBUTARY_RESOURCES_H
#define TRIBUTARY_RESOURCES_H

// Texts in UTF-8 that are part of the program, each ending with a zero byte.

/// The tables of a store's bookkeeping: Schemas/store.sql.
extern const char *const _Nonnull tributary_store_sql;

/// The page of a report, without the report.
extern const char *const _Nonnull tributary_report_html;

/// The page of a service.
extern const char *const _Nonnull tributary_page_html;

#endif
