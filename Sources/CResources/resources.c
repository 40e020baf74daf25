// Files that are part of the program. Swift takes many seconds to compile as much as a literal.
#include "resources.h"

// Standard C since C23; clang knows it in all modes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char store_sql[] = {
#embed "../../Schemas/store.sql"
  , 0
};

static const char report_html[] = {
#embed "report.html"
  , 0
};

static const char page_html[] = {
#embed "page.html"
  , 0
};

const char *const tributary_store_sql = store_sql;
const char *const tributary_report_html = report_html;
const char *const tributary_page_html = page_html;
