#ifndef TRIBUTARY_HTTP_H
#define TRIBUTARY_HTTP_H

#include <stddef.h>
#include <sys/socket.h>

// An HTTP server: GNU libmicrohttpd, which is loaded when the first server starts. Loading it takes half as long as all else
// that a command does before it begins, and few commands need it.

typedef struct tributary_http_server tributary_http_server;

/// What a client asks, and how it is answered. Valid during the call of the handler.
typedef struct tributary_http_request {
  const char *_Nonnull method;
  /// The path of the address, decoded, without the query.
  const char *_Nonnull path;
  /// The header Host.
  const char *_Nullable host;
  /// The header Authorization.
  const char *_Nullable authorization;
  /// For this library.
  void *_Nonnull connection;
  int result;
} tributary_http_request;

/// Answers a request, with `tributary_http_answer`. Called on threads of the library, one for each client.
typedef void (*tributary_http_handler)(
    void *_Nonnull context, tributary_http_request *_Nonnull request);

/// Starts a server.
///
/// - Returns: NULL if it cannot be started; `tributary_http_problem` says why.
tributary_http_server *_Nullable tributary_http_start(
    const struct sockaddr *_Nonnull address, tributary_http_handler _Nonnull handler,
    void *_Nonnull context);

/// What prevented this thread's last start; valid until its next one.
const char *_Nonnull tributary_http_problem(void);

/// The port at which a server listens.
unsigned tributary_http_port(tributary_http_server *_Nonnull server);

/// Stops listening, and waits until the present requests are answered.
void tributary_http_stop(tributary_http_server *_Nonnull server);

/// Returns a value of the query, decoded; NULL if it is not there.
const char *_Nullable tributary_http_argument(
    const tributary_http_request *_Nonnull request, const char *_Nonnull name);

/// Answers a request; the bytes are copied.
void tributary_http_answer(
    tributary_http_request *_Nonnull request, unsigned status, const char *_Nonnull type,
    const char *_Nonnull policy, const void *_Nullable bytes, size_t count);

#endif
