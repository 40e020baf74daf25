/*
 * The C interface of Tributary: databases that devices share through a directory.
 *
 * A store is an SQLite database that is attached to a container, the shared directory. Your program reads
 * and writes the database with SQLite, as ever: triggers journal what it changes. This library publishes that,
 * imports what others have written, and says what has changed. docs/c.md has a first program.
 *
 * Texts are UTF-8 and end with a NUL; what is not UTF-8 is refused. Texts given to a function are copied.
 *
 * Ownership. A text that a function returns through a `char **` belongs to the caller: release it with
 * tributary_free(). An error belongs to the caller too: release it with tributary_error_free(). Texts that are
 * `const char *` belong to the library, and stay as long as what they were asked of.
 *
 * Results. Functions that return `int` return one of the codes below, the numbers with which the command
 * `tributary` ends. Reports are the JSON that the command prints with --json; see Schemas/NAME.schema.json. Where a
 * parameter says that it may be NULL, what would be returned there is not.
 *
 * Errors. Through `error`, which may be NULL, a function returns what is wrong, or NULL if nothing is. After
 * TRIBUTARY_FAILED and TRIBUTARY_MISUSE there is an error, and nothing has changed unless the function says otherwise.
 *
 * Threads. Any thread may call any function; calls with one store wait for each other where they must. After fork(2),
 * the child must not use stores that its parent has opened.
 *
 * Only one copy of SQLite may work on a database in a process, since its locks belong to the process. The library
 * uses libsqlite3.so.0: a program that uses SQLite must too; see tributary_shares_sqlite().
 */
#ifndef TRIBUTARY_H
#define TRIBUTARY_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the interface that this header declares. Later ones add functions, and change none. */
#define TRIBUTARY_ABI 1

/* Done. */
#define TRIBUTARY_OK 0
/* It could not be done: the error says why, and what helps. */
#define TRIBUTARY_FAILED 1
/* The call was wrong: an argument is NULL, unknown or no text, or the store is closed. */
#define TRIBUTARY_MISUSE 2
/* Done as far as possible, but something is damaged or needs help: the error says what. */
#define TRIBUTARY_DAMAGE 3

/* An open store. The value of one that was closed is never used again, and is refused. */
typedef struct tributary_store tributary_store;

/* What is wrong. */
typedef struct tributary_error tributary_error;

/*
 * Options: names and, where an option has an argument, the argument after it; NULL at the end. NULL instead means
 * no options. The names are those of the command, without dashes:
 *
 *     const char *options[] = {"container", "/srv/shared", "name", "Library", "follow-schema", NULL};
 */
typedef const char *const *tributary_options;

/* ---- The library ---- */

/* The version of the library, such as "0.1.0". */
const char *tributary_version(void);

/* The version of the interface that the library has: at least the TRIBUTARY_ABI of the header you compiled with. */
int tributary_abi(void);

/*
 * Whether the library and the program use the same copy of SQLite: 1, or 0 if the program has one of its own, with
 * which it must not open a store while the library has it open.
 *
 *     if (!tributary_shares_sqlite(sqlite3_libversion())) …
 */
int tributary_shares_sqlite(const char *libversion);

/* Releases a text that a function of this library has returned. NULL is allowed. */
void tributary_free(char *text);

/* ---- Errors ---- */

/* The kind of failure, one word, for decisions: "absent", "notAttached", "inUse", "misuse"; docs/c.md has all. */
const char *tributary_error_code(const tributary_error *error);

/* What was found, for people. */
const char *tributary_error_message(const tributary_error *error);

/* The file or directory concerned; empty if there is none. */
const char *tributary_error_path(const tributary_error *error);

/* What helps, in the words of the command; empty where the message says it. */
const char *tributary_error_remedy(const tributary_error *error);

/* All of it, in one line. */
const char *tributary_error_description(const tributary_error *error);

/* Releases an error. NULL is allowed. */
void tributary_error_free(tributary_error *error);

/* ---- Attaching ---- */

/*
 * Makes a database a store, or has a missing one rebuilt from the logs in the container. A store that is attached
 * already is checked, and the options are applied or refused.
 *
 * path     the database. Nobody may be in a transaction on it; where the container has logs already, nobody may have
 *          it open.
 * options  "container" and "name" are required; the others are those of `tributary attach`, such as "schema",
 *          "tables", "merge", "policy", "identify", "no-follow-schema". With "dry-run" nothing is changed, and the
 *          report says what would be.
 * report   may be NULL: attach.schema.json.
 *
 * May take long, as logs are long. Returns TRIBUTARY_DAMAGE if some of the logs could not be read.
 */
int tributary_attach(const char *path, tributary_options options, char **report,
                     tributary_error **error);

/*
 * Makes a store an ordinary database again, with the same rows. Publishes what is unpublished first. Nobody may have
 * the store open.
 *
 * options  "remove-logs": removes what the store has published; "leave-unpublished": publishes nothing.
 */
int tributary_detach(const char *path, tributary_options options, tributary_error **error);

/* ---- Stores ---- */

/*
 * Opens a store.
 *
 * options  "container-timeout": after how many seconds a container that does not answer counts as away; 30 unless
 *          given.
 * store    close it with tributary_close(). NULL if it was not opened.
 */
int tributary_open(const char *path, tributary_options options, tributary_store **store,
                   tributary_error **error);

/*
 * Closes a store: its thread ends, no callback is called any more, and no file stays open. Waits for the thread, during
 * an import until its next commit, and for a callback that is running; from a callback it waits for neither, and they
 * end after it. Calls that are running in other threads go on to their end, or fail with the code "closed".
 * NULL is allowed.
 *
 * Returns TRIBUTARY_MISUSE if the store was closed before.
 */
int tributary_close(tributary_store *store);

/*
 * Publishes what is unpublished and imports what has arrived. The program must not be in a transaction that writes the
 * database: an import would wait for its end, and fail with the code "inUse" after five seconds.
 *
 * options  "reseed": also publishes again what the container had and lacks.
 * report   may be NULL: sync.schema.json. There is one, too, if the container is away.
 *
 * Returns TRIBUTARY_FAILED if the container is away or full: the store goes on working, and what is unpublished is
 * published later. Returns TRIBUTARY_DAMAGE if files were set aside, and the rest was imported.
 */
int tributary_sync(tributary_store *store, tributary_options options, char **report,
                   tributary_error **error);

/* The state of the store and of its peers; status.schema.json. */
int tributary_status(tributary_store *store, char **report, tributary_error **error);

/*
 * A digest of the contents of all shared tables, in 64 hexadecimal digits: the same on two devices exactly when the
 * contents are. Reads every row.
 */
int tributary_digest(tributary_store *store, char **digest, tributary_error **error);

/*
 * What merging could not keep visible: an array of objects of conflict.schema.json.
 *
 * options  "all": with those that have ended.
 */
int tributary_conflicts(tributary_store *store, tributary_options options, char **report,
                        tributary_error **error);

/*
 * Settles a conflict by a transaction, here and with the next synchronisation everywhere. One that has ended already
 * stays as it is.
 *
 * resolution  "keep": what is visible stays; "restore": what was lost comes back.
 */
int tributary_resolve(tributary_store *store, const char *conflict, const char *resolution,
                      tributary_error **error);

/* ---- Being told ---- */

/*
 * What was imported, once it is committed; sync.schema.json, where `imported` says which rows of which tables were
 * inserted, updated and deleted. `report` stays until the callback returns.
 */
typedef void (*tributary_import_callback)(void *context, const char *report);

/* What keeps the thread of a store from synchronising. `error` stays until the callback returns. */
typedef void (*tributary_problem_callback)(void *context, const tributary_error *error);

/*
 * Has a callback called for each import from now on: on the thread that calls tributary_sync(), before that returns, and
 * on the thread of tributary_start(). Imports by other processes are told too. The callback may use the store, and close
 * it; while it runs, the thread that called it imports nothing more.
 *
 * callback  takes the place of the one before, which does not run any more when this returns; NULL for none.
 * context   passed to the callback.
 */
int tributary_on_import(tributary_store *store, tributary_import_callback callback, void *context,
                        tributary_error **error);

/* Has a callback called, on the thread of tributary_start(), when a trouble begins; as tributary_on_import(). */
int tributary_on_problem(tributary_store *store, tributary_problem_callback callback, void *context,
                         tributary_error **error);

/*
 * Starts a thread that publishes and imports as soon as something has changed, until tributary_stop() or
 * tributary_close(). It is not an error if it is running already.
 *
 * options  "interval": how often to look where changes are not announced, in seconds; 5 unless given.
 */
int tributary_start(tributary_store *store, tributary_options options, tributary_error **error);

/*
 * Ends the thread of tributary_start(), and waits for its end as tributary_close() does. It is not an error if none is
 * running.
 */
int tributary_stop(tributary_store *store, tributary_error **error);

#ifdef __cplusplus
}
#endif

#endif
